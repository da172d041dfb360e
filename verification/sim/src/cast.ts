import type { CallRunner, PlannedTaker, ProcessPlan, Ticket } from '@holdfast/chaos/process'
import { clientOptions, type ObjectName } from '@holdfast/chaos'
import type { HistoryEvent } from '@holdfast/testkit'
import type { Copies, Program } from './bundle.js'
import type { LinkedClient } from './program/clients.js'
import type { Reach } from './program/clients.js'
import type { Ends, EngineName, SimStore } from './program/stores.js'
import { between } from './random.js'
import type { Realm } from './realm.js'
import { RedisGroup } from './redis/group.js'
import type { ScriptRun } from './redis/server.js'
import { RedisWay } from './redis/way.js'
import { Wire } from './wire.js'
import type { World } from './world.js'

/** By how much the clock of a process is wrong at most: the library allows for one in a hundred. */
const mostDrift = 0.004

/** A store, in processes of its own. */
export interface SimServer {
  /** That of the one that counts. */
  readonly realm: Realm
  readonly store: Ends
  /** Whether notices reach that client, if the store can tell. */
  isSubscribed?(clientId: string): boolean
  /** The clocks of all of them jump. */
  step(ms: number): void
}

/** A store in memory, in a process of its own. */
export class StoreServer implements SimServer {
  readonly realm: Realm
  readonly store: SimStore

  constructor(world: World, copies: Copies, engine: SimStore['engine'], n: number, isOnly: boolean) {
    this.realm = world.start(`S${n + 1}`)
    // Stores in memory are told apart by how many their process has made.
    const program = isOnly ? copies.takeFor(this.realm) : copies.makeFor(this.realm)
    this.store = program.openStore(engine, n)
  }

  step(ms: number): void {
    this.realm.step(ms)
  }
}

/** One of so many stores. One alone has a replica, if it is of a kind that has any. */
export function startServer(
  world: World,
  copies: Copies,
  engine: EngineName,
  n: number,
  count: number,
  onRun?: (run: ScriptRun) => void,
): SimServer {
  if (engine === 'redis') return new RedisGroup(world, n, count === 1 ? 2 : 1, onRun)
  return new StoreServer(world, copies, engine, n, count === 1)
}

/** Messages that a process and a store send each other. */
type Messages = Pick<Wire, 'slowness' | 'loseMessage'>

/** A process with a client. */
export class SimProcess {
  readonly name: string
  readonly realm: Realm
  readonly program: Program
  readonly client: LinkedClient['client']
  readonly links: LinkedClient['links']
  readonly #messages = new Map<SimServer, Messages>()
  readonly #ways: RedisWay[] = []
  readonly #world: World
  #runner: CallRunner | undefined
  /** Its own calls, and those by which it takes over. */
  #left = 1

  constructor(world: World, copies: Copies, servers: readonly SimServer[], name: string) {
    this.name = name
    this.#world = world
    const rate = 1 + (world.random() * 2 - 1) * mostDrift
    this.realm = world.start(name, { rate, offsetMs: Math.floor(world.random() * 1e6) })
    this.program = copies.takeFor(this.realm)
    const reaches = servers.map((server) => this.#reach(server))
    // Every other client has the masters of a quorum in another order.
    const first = servers.length > 1 && world.random() < 0.5 ? between(world.random, 1, servers.length) : 0
    const ordered = [...reaches.slice(first), ...reaches.slice(0, first)]
    const { client, links } = this.program.openClient(ordered, { ...clientOptions, label: name })
    this.client = client
    this.links = reaches.flatMap((reach) => links[ordered.indexOf(reach)] ?? [])
  }

  /** Whether it has made all of its calls, or is dead. */
  get isFinished(): boolean {
    return this.realm.isDead || this.#left === 0
  }

  messagesOf(server: SimServer): Messages {
    const messages = this.#messages.get(server)
    if (!messages) throw new Error(`${this.name} does not reach that server`)
    return messages
  }

  /** It dies; its system closes what it had open. */
  kill(): void {
    this.realm.kill()
    for (const way of this.#ways) way.hangUp()
  }

  /** Runs something in it. Resolves in the world outside. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.realm.post(() => {
        task().then(resolve, reject)
      })
    })
  }

  /** Makes calls, and writes down what comes of them. */
  async call(
    object: ObjectName,
    plan: ProcessPlan,
    locks: readonly string[],
    startAtMs: number,
    write: (event: HistoryEvent) => void,
    give: (ticket: Ticket) => void,
  ): Promise<void> {
    this.#runner = new this.program.CallRunner(this.name, object, [this.client], write, give)
    await this.#runner.run(plan, locks, startAtMs)
    this.#left -= 1
  }

  /** Gets a ticket, by which it takes over after a while. */
  take(ticket: Ticket, taker: PlannedTaker): void {
    this.#left += 1
    const takeOver = async (): Promise<void> => {
      await this.#runner?.takeOver(ticket, taker)
      this.#left -= 1
    }
    this.#world.after(taker.afterMs, () => this.realm.post(() => void takeOver()))
  }

  #reach(server: SimServer): Reach {
    if (server instanceof RedisGroup) {
      const way = new RedisWay(this.realm, server)
      this.#ways.push(way)
      this.#messages.set(server, way)
      return { way }
    }
    if (!(server instanceof StoreServer)) throw new Error('what kind of store is that?')
    const wire = new Wire(this.realm, server.realm)
    this.#messages.set(server, wire)
    return { store: server.store, network: wire }
  }
}
