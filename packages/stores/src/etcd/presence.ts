import * as kv from './wire/kv.js'

/** A key, and the revision that made it. */
export interface Made {
  readonly key: string
  readonly createdAt: number
}

/** etcd's limit of operations per transaction is 128 by default. A nested transaction has what its parent leaves. */
const flatLimit = 128
const groupSize = 64
const nestedLimit = groupSize * groupSize
/** etcd refuses requests above 1.5 MiB by default. */
const byteLimit = 1_000_000

/** Which of these keys are to be looked up together, in as few transactions as etcd takes. */
export function batchesOf(made: readonly Made[]): Made[][] {
  const batches: Made[][] = []
  let bytes = Infinity
  for (const each of made) {
    bytes += each.key.length + 16
    const last = batches.at(-1)
    if (last && last.length < nestedLimit && bytes <= byteLimit) last.push(each)
    else {
      batches.push([each])
      bytes = each.key.length + 16
    }
  }
  return batches
}

const groupsOf = (batch: readonly Made[]): (readonly Made[])[] =>
  Array.from({ length: Math.ceil(batch.length / groupSize) }, (_, n) =>
    batch.slice(n * groupSize, (n + 1) * groupSize),
  )

const lookUp = (group: readonly Made[]): Buffer =>
  kv.txnOfOperations(
    [],
    group.map(({ key }) => kv.thenRange(kv.rangeOfKeyOnly(key))),
  )

/**
 * A transaction that looks up one batch. It needs a quorum: a small one reads only, and waits for the leader to confirm itself; a nested
 * one counts as a write.
 */
export const presenceOf = (batch: readonly Made[]): Buffer =>
  batch.length <= flatLimit
    ? lookUp(batch)
    : kv.txnOfOperations(
        [],
        groupsOf(batch).map((group) => kv.thenTxn(lookUp(group))),
      )

/** Which keys of the batch are there, and were made by the same revision. */
export function presentIn(batch: readonly Made[], reply: kv.TxnReply): boolean[] {
  const replies =
    batch.length <= flatLimit ? [reply] : reply.results.map((result) => kv.txnOf(result.message(4)))
  const found = replies.flatMap((each) => each.results.map((_, index) => kv.rangeAt(each, index).keys[0]))
  return batch.map(({ createdAt }, index) => found[index]?.createdAt === createdAt)
}
