import { Wire } from '../wire.js'
import type { World } from '../world.js'
import { Path } from './path.js'
import { RedisServer, type Effects, type ScriptRun } from './server.js'

/** Has one server repeat what another does, a moment later. */
class Replication {
  readonly from: RedisServer
  readonly to: RedisServer
  readonly path: Path
  readonly #due: Effects[] = []
  #isOver = false

  /** What the one that repeats had before is gone. */
  constructor(from: RedisServer, to: RedisServer) {
    this.from = from
    this.to = to
    this.path = new Path(new Wire(from.realm, to.realm))
    to.database.clear()
    to.database.apply(from.database.dump())
    from.followers = [...from.followers, this.#follow]
  }

  readonly #follow = (effects: Effects): void => {
    this.#due.push(effects)
    this.path.send('toStore', 'replication', () => this.#repeat(1))
  }

  catchUp(): void {
    this.#repeat(this.#due.length)
  }

  end(): void {
    this.#isOver = true
    this.from.followers = this.from.followers.filter((follow) => follow !== this.#follow)
  }

  #repeat(count: number): void {
    if (!this.#isOver) for (const effects of this.#due.splice(0, count)) this.to.repeat(effects)
  }
}

/** A master, perhaps with a replica, and the address that leads to the master. */
export class RedisGroup {
  readonly address: string
  readonly servers: readonly RedisServer[]
  /** Whether the address leads to any of them. */
  isSpread = false
  readonly #world: World
  #master: RedisServer
  #replication: Replication | undefined

  /**
   * @param n - unlike that of any other group
   * @param onRun - is told of each script
   */
  constructor(world: World, n: number, count: number, onRun?: (run: ScriptRun) => void) {
    this.#world = world
    this.address = `redis-${n + 1}`
    const version = world.random() < 0.5 ? '6.2.14' : '7.0.15'
    this.servers = Array.from({ length: count }, (_, i) => {
      const name = `S${n + 1}${'ab'.charAt(i)}`
      return new RedisServer(world.start(name), `${name}:6379`, version, i === 0)
    })
    const [master, replica] = this.servers
    if (!master) throw new Error('a group has a master')
    this.#master = master
    for (const server of this.servers) server.onRun = onRun
    if (replica) this.#replication = new Replication(master, replica)
  }

  /** Where the address leads. */
  get master(): RedisServer {
    return this.#master
  }

  get replica(): RedisServer | undefined {
    return this.servers.find((server) => server !== this.#master)
  }

  get realm() {
    return this.#master.realm
  }

  readonly store = {
    loseData: (): void => this.restart(false),
    owners: (): readonly string[] => this.#master.database.keys().flatMap((key) => this.#ownersIn(key)),
    leftovers: (): readonly string[] =>
      this.servers.flatMap(({ address, database }) =>
        database.keys().map((key) => `${key} (${database.get(key)?.type}) at ${address}`),
      ),
  }

  restart(keepsData: boolean): void {
    this.#master.restart(keepsData)
    this.settle()
  }

  /** As `FLUSHALL` does. */
  wipe(): void {
    this.#master.database.clear()
    this.settle()
  }

  /** Whether what is published at the master reaches that client. */
  isSubscribed(clientId: string): boolean {
    return this.#master.subscriberCount(`holdfast:inbox:${clientId}`) > 0
  }

  /** The server at which a connection that is made now ends. */
  lead(): RedisServer {
    const { servers } = this
    if (!this.isSpread) return this.#master
    return servers[Math.floor(this.#world.random() * servers.length)] ?? this.#master
  }

  /** Whichever was a master beside the other one becomes its replica, and begins again with what that has. */
  settle(): void {
    const { replica } = this
    this.#replication?.end()
    if (replica) replica.isMaster = false
    this.#replication = replica && new Replication(this.#master, replica)
  }

  step(ms: number): void {
    for (const { realm } of this.servers) realm.step(ms)
  }

  /** The replica repeats nothing for a while. */
  holdReplication(): () => void {
    const path = this.#replication?.path
    path?.hold('toStore')
    return () => path?.open()
  }

  /** As `FAILOVER` does: nothing is lost, and all connections stay where they are. */
  failOver(): void {
    this.#replication?.catchUp()
    this.promote()
    this.settle()
  }

  /** The replica becomes the master with what it has, whatever becomes of the other one. */
  promote(): void {
    const next = this.replica
    if (!next || next.isDown) return
    this.#replication?.end()
    this.#replication = undefined
    next.isMaster = true
    this.#master = next
  }

  /** Who holds or waits, by what is stored under a key. */
  #ownersIn(key: string): readonly string[] {
    const content = this.#master.database.get(key)
    if (key.includes('holdfast:client:') || content?.type !== 'hash') return []
    return [...content.fields].flatMap(([field, text]) =>
      field.includes(':') && !text.startsWith('gone ') ? [field] : [],
    )
  }
}
