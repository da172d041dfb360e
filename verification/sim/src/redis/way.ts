import type { Link } from '@holdfast/conformance'
import type { Realm } from '../realm.js'
import { Wire } from '../wire.js'
import type { RedisGroup } from './group.js'
import { Line, type SocketEvents } from './line.js'
import { Path } from './path.js'
import type { RedisServer } from './server.js'

/** A connection, in the process that opened it. */
export interface Socket {
  send(words: readonly string[]): void
  close(): void
}

type Direction = Parameters<Link['blackHole']>[0]

/** All that lies between one process and a group of servers. */
export class RedisWay implements Link {
  readonly #group: RedisGroup
  readonly #wires = new Map<RedisServer, Wire>()
  readonly #paths = new Map<RedisServer, Path>()
  #lines: Line[] = []
  #count = 0
  #slowness = 1
  #onReplyLost: (() => void) | undefined

  constructor(realm: Realm, group: RedisGroup) {
    this.#group = group
    for (const server of group.servers) {
      const wire = new Wire(realm, server.realm)
      this.#wires.set(server, wire)
      this.#paths.set(server, new Path(wire))
    }
  }

  /** Opens a connection to wherever the address leads now. */
  dial(events: SocketEvents): Socket {
    const server = this.#group.lead()
    const path = this.#paths.get(server)
    if (!path) throw new Error(`no way to ${server.address}`)
    const line = new Line(path, server, String(++this.#count), events, () => this.#losesReply())
    this.#lines = [...this.#lines.filter(({ isClosed }) => !isClosed), line]
    return line
  }

  /** Of connections that are open, those for notifications or those for commands. */
  linesFor(notifications: boolean): readonly Line[] {
    return this.#lines.filter((line) => !line.isClosed && line.channels.size > 0 === notifications)
  }

  /** Breaks all connections for the process, and has what it sent before arrive when the returned function is called. */
  strand(): () => void {
    const ends = this.#lines.filter(({ isClosed }) => !isClosed).map((line) => line.strand())
    return () => {
      for (const end of ends) end()
    }
  }

  get slowness(): number {
    return this.#slowness
  }

  set slowness(times: number) {
    this.#slowness = times
    for (const wire of this.#wires.values()) wire.slowness = times
  }

  loseMessage(after: number, onLost: () => void): void {
    this.#wires.get(this.#group.master)?.loseMessage(after, onLost)
  }

  cut(): void {
    for (const line of this.#lines) line.cut()
  }

  blackHole(direction: Direction): void {
    for (const path of this.#paths.values()) {
      if (direction !== 'toClient') path.hold('toStore')
      if (direction !== 'toStore') path.hold('toClient')
    }
  }

  heal(): void {
    for (const path of this.#paths.values()) path.open()
  }

  loseNextReply(): Promise<void> {
    return new Promise((resolve) => {
      this.#onReplyLost = resolve
    })
  }

  close(): Promise<void> {
    this.heal()
    return Promise.resolve()
  }

  /** The process is gone, and its system closes what it had open. */
  hangUp(): void {
    for (const line of this.#lines) line.close()
  }

  get address(): string {
    return this.#group.address
  }

  #losesReply(): boolean {
    const onLost = this.#onReplyLost
    this.#onReplyLost = undefined
    onLost?.()
    return onLost !== undefined
  }
}
