import type { StoreEvents } from '../sessions/index.js'
import type { Watches } from './watches.js'
import * as kv from './wire/kv.js'
import type { Message } from './wire/protobuf.js'

export interface InboxDeps {
  /** What the keys of its letters begin with. */
  readonly prefix: string
  readonly watches: Watches
  readonly call: (call: string, request: Buffer) => Promise<Message>
  readonly events: Pick<StoreEvents, 'evicted' | 'message'>
}

const evicted = 'evicted '
const message = 'message '

/** What other clients write to this one. A letter goes once it was read, or with the session of its sender. */
export class Inbox {
  readonly #deps: InboxDeps
  #stop: (() => void) | undefined

  constructor(deps: InboxDeps) {
    this.#deps = deps
  }

  static readonly eviction = (owner: string): string => evicted + owner

  static readonly message = (text: string): string => message + text

  /** Reads what is written from that revision on. A second call goes on with the first. */
  open(from: number): void {
    if (this.#stop) return
    const { prefix, watches } = this.#deps
    const range = { key: prefix, end: kv.endOf(prefix), without: 'deletions' } as const
    this.#stop = watches.add(range, from, (what) => {
      if (what !== 'lost') this.#read(what.entry)
      else {
        this.#stop = undefined
        void this.#readAll()
      }
    })
  }

  /** What was written while it was not watched. */
  async #readAll(): Promise<void> {
    const { prefix, call } = this.#deps
    try {
      const { keys, revision } = kv.rangeOf(await call('KV/Range', kv.rangeOfPrefix(prefix)))
      this.open(revision + 1)
      for (const letter of keys) this.#read(letter)
    } catch {
      // The next session opens it again. Until then renewals show what was evicted.
    }
  }

  #read({ key, value }: kv.KeyValue): void {
    const { call, events } = this.#deps
    if (value.startsWith(evicted)) events.evicted(value.slice(evicted.length))
    else if (value.startsWith(message)) events.message(value.slice(message.length))
    // What stays is read again after a gap, which is allowed.
    call('KV/DeleteRange', kv.deleteOf(key)).catch(() => undefined)
  }
}
