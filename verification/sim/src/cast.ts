import type { ProcessPlan } from '@holdfast/chaos/process'
import { clientOptions, type ObjectName } from '@holdfast/chaos'
import type { HistoryEvent } from '@holdfast/testkit'
import type { Copies, Program } from './bundle.js'
import type { LinkedClient } from './program/clients.js'
import type { EngineName, SimStore } from './program/stores.js'
import { between } from './random.js'
import type { Realm } from './realm.js'
import { Wire } from './wire.js'
import type { World } from './world.js'

/** By how much the clock of a process is wrong at most: the library allows for one in a hundred. */
const mostDrift = 0.004

/** A store in a process of its own. */
export class SimServer {
  readonly realm: Realm
  readonly store: SimStore

  constructor(world: World, copies: Copies, engine: EngineName, n: number, isOnly: boolean) {
    this.realm = world.start(`S${n + 1}`)
    // Stores in memory are told apart by how many their process has made.
    const program = isOnly ? copies.takeFor(this.realm) : copies.makeFor(this.realm)
    this.store = program.openStore(engine, n)
  }
}

/** A process with a client. */
export class SimProcess {
  readonly name: string
  readonly realm: Realm
  readonly program: Program
  readonly client: LinkedClient['client']
  readonly links: LinkedClient['links']
  /** Whether it has made all of its calls. */
  isFinished = false
  readonly #wires: ReadonlyMap<SimServer, Wire>

  constructor(world: World, copies: Copies, servers: readonly SimServer[], name: string) {
    this.name = name
    const rate = 1 + (world.random() * 2 - 1) * mostDrift
    this.realm = world.start(name, { rate, offsetMs: Math.floor(world.random() * 1e6) })
    this.program = copies.takeFor(this.realm)
    this.#wires = new Map(servers.map((server) => [server, new Wire(this.realm, server.realm)]))
    const reaches = servers.map((server) => ({ store: server.store, network: this.wireTo(server) }))
    // Every other client has the masters of a quorum in another order.
    const first = servers.length > 1 && world.random() < 0.5 ? between(world.random, 1, servers.length) : 0
    const ordered = [...reaches.slice(first), ...reaches.slice(0, first)]
    const { client, links } = this.program.openClient(ordered, { ...clientOptions, label: name })
    this.client = client
    this.links = reaches.flatMap((reach) => links[ordered.indexOf(reach)] ?? [])
  }

  wireTo(server: SimServer): Wire {
    const wire = this.#wires.get(server)
    if (!wire) throw new Error(`${this.name} does not reach that server`)
    return wire
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
  ): Promise<void> {
    const runner = new this.program.CallRunner(this.name, object, [this.client], write)
    await runner.run(plan, locks, startAtMs)
    this.isFinished = true
  }
}
