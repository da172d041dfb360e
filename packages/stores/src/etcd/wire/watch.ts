import { headerOf, keyValueOf, type Header, type KeyValue } from './kv.js'
import { encode, type Message } from './protobuf.js'

/** Messages of the stream of watches of etcd's `rpc.proto`. */

/** What to watch. */
export interface WatchRange {
  readonly key: string
  /** The first key that is no longer watched; left out: only `key` is. */
  readonly end?: Buffer | undefined
  /** Events that are not reported. */
  readonly without?: 'puts' | 'deletions' | undefined
}

export interface WatchMessage extends Header {
  readonly id: number
  /** The watch has started: it reports events after the revision of this message, or from an earlier one that was asked for. */
  readonly isCreated: boolean
  /** The server ends this watch. */
  readonly isCanceled: boolean
  /** Of a watch that began before it: what the store has forgotten by now. */
  readonly compactedAt: number
  /** Why it ends, if not for compaction. */
  readonly reason: string
  readonly events: readonly WatchEvent[]
}

export interface WatchEvent {
  readonly isDeletion: boolean
  readonly entry: KeyValue
}

/** By their numbers in `FilterType`. */
const filters = { puts: 0, deletions: 1 } as const

/** @param from - the first revision whose events are reported; 0: that of the next event */
export const createOf = (id: number, { key, end, without }: WatchRange, from: number): Buffer =>
  encode([1, encode([1, key], [2, end], [3, from], [5, without && Buffer.from([filters[without]])], [7, id])])

export const cancelOf = (id: number): Buffer => encode([2, encode([1, id])])

export const watchMessageOf = (message: Message): WatchMessage => ({
  ...headerOf(message),
  id: message.number(2),
  isCreated: message.isTrue(3),
  isCanceled: message.isTrue(4),
  compactedAt: message.number(5),
  reason: message.text(6),
  events: message.messages(11).map((event) => ({
    isDeletion: event.number(1) === 1,
    entry: keyValueOf(event.message(2)),
  })),
})
