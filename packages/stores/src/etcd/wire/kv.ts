import { encode, Message, repeated } from './protobuf.js'

/** Requests and replies about keys: `KV` of etcd's `rpc.proto`. */

/** A key as a reply lists it. */
export interface KeyValue {
  readonly key: string
  readonly value: string
  /** The store's revision that made the key. */
  readonly createdAt: number
  /** The store's revision that wrote it last. */
  readonly writtenAt: number
  readonly lease: bigint
}

const nothing = new Message(Buffer.alloc(0))

/** What every reply begins with. */
export interface Header {
  readonly revision: number
  /** Of the leader's election: it grows with each. */
  readonly term: number
}

export interface RangeReply extends Header {
  readonly keys: readonly KeyValue[]
  /** How many keys there are in the range, also those that a limit leaves out. */
  readonly count: number
}

export interface TxnReply extends Header {
  readonly isDone: boolean
  /** Of each operation of the branch that was taken. */
  readonly results: readonly Message[]
}

export const headerOf = (reply: Message): Header => {
  const header = reply.message(1)
  return { revision: header.number(3), term: header.number(4) }
}

export const keyValueOf = (message: Message): KeyValue => ({
  key: message.text(1),
  createdAt: message.number(2),
  writtenAt: message.number(3),
  value: message.text(5),
  lease: message.big(6),
})

export const rangeOf = (reply: Message): RangeReply => ({
  ...headerOf(reply),
  keys: reply.messages(2).map(keyValueOf),
  count: reply.number(4),
})

export const txnOf = (reply: Message): TxnReply => ({
  ...headerOf(reply),
  isDone: reply.isTrue(2),
  results: reply.messages(3),
})

/** The range among the results of a transaction, as of its revision. */
export const rangeAt = ({ results, revision, term }: TxnReply, index: number): RangeReply => ({
  ...rangeOf(results[index]?.message(1) ?? nothing),
  revision,
  term,
})

/** The first key after all that begin with `prefix`. */
export function endOf(prefix: string): Buffer {
  const end = Buffer.from(prefix)
  end[end.length - 1] = (end.at(-1) ?? 0) + 1
  return end
}

export const rangeOfKey = (key: string): Buffer => encode([1, key])

/** The same without its value. */
export const rangeOfKeyOnly = (key: string): Buffer => encode([1, key], [8, true])

export interface RangeOptions {
  readonly keysOnly?: boolean
  readonly limit?: number
  /** The first key, instead of all that begin with the prefix. */
  readonly from?: string
}

/** All keys that begin with `prefix`, by name. */
export const rangeOfPrefix = (
  prefix: string,
  { keysOnly, limit, from = prefix }: RangeOptions = {},
): Buffer => encode([1, from], [2, endOf(prefix)], [3, limit], [8, keysOnly])

/** The same in the order in which they were made. */
export const queueOfPrefix = (prefix: string, keysOnly: boolean): Buffer =>
  encode([1, prefix], [2, endOf(prefix)], [5, 1], [6, 2], [8, keysOnly])

export const putOf = (key: string, value: string, lease: bigint): Buffer =>
  encode([1, key], [2, value], [3, lease])

/** Writes a key that is there, and leaves it to its lease. */
export const rewriteOf = (key: string, value: string): Buffer => encode([1, key], [2, value], [6, true])

export const deleteOf = (key: string): Buffer => encode([1, key])

/** Operations of a transaction. */
export const thenRange = (range: Buffer): Buffer => encode([1, range])
export const thenPut = (put: Buffer): Buffer => encode([2, put])
export const thenDelete = (key: string): Buffer => encode([3, deleteOf(key)])
export const thenTxn = (txn: Buffer): Buffer => encode([4, txn])

/** Conditions of a transaction. */
export const isAbsent = (key: string): Buffer => encode([3, key])
/** None of these keys is there. */
export const areAbsent = ({ from, end }: { readonly from: string; readonly end: string }): Buffer =>
  encode([3, from], [64, end])
export const isCreatedAt = (key: string, revision: number): Buffer => encode([2, 1], [3, key], [5, revision])
export const isThere = (key: string): Buffer => encode([1, 1], [3, key])
/** 0: the key is absent. */
export const isWrittenAt = (key: string, revision: number): Buffer => encode([2, 2], [3, key], [6, revision])

/** Does `operations` if all conditions are met, else `otherwise`. */
export const txnOfOperations = (
  conditions: readonly Buffer[],
  operations: readonly Buffer[],
  otherwise: readonly Buffer[] = [],
): Buffer => encode(...repeated(1, conditions), ...repeated(2, operations), ...repeated(3, otherwise))
