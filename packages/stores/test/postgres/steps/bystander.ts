import { nothing, ownerOf, type Contents } from '@holdfast/model'
import { addressOf, type PostgresAddress } from '../../../src/postgres/address.js'
import type { ObjectKind } from './functions.js'
import type { Rows } from './postgres-kind.js'

/** It outlives whatever a sequence of steps lasts. */
const leftMs = 100_000 * 3_600_000

/** Another object than the one in question, that owners of the model hold, wait for and abandoned: no step may touch it. */
export const bystander: Contents = {
  ...nothing,
  holds: [{ owner: ownerOf('A'), count: 1, token: 1, leftMs }],
  queue: [
    { owner: ownerOf('B'), want: 1, size: 1, grantLeaseMs: 1, leftMs, saysWhere: true, hasProof: true },
  ],
  queueMs: leftMs,
  tombstones: [{ owner: ownerOf('C'), leftMs }],
  token: 1,
  fenceMs: leftMs,
}

const ofKind = { lock: 'lock', shared: 'semaphore' } as const

export const bystanderOf = (kind: ObjectKind): PostgresAddress => addressOf('bystander', ofKind[kind])

/** What a batch names besides: a hold that needs no longer lease, an owner that nobody knows, and an object that is not there. */
export const othersOf = (address: PostgresAddress) =>
  ({
    held: { address: bystanderOf(address.kind === 'lock' ? 'lock' : 'shared'), owner: ownerOf('A') },
    unknown: { address, owner: ownerOf('Z') },
    absent: {
      address: addressOf('absent', ofKind[address.kind === 'lock' ? 'lock' : 'shared']),
      owner: ownerOf('A'),
    },
  }) as const

/** Whether these rows are still in the tables, and no others. */
export const areUntouched = (rows: Rows, found: Rows): boolean =>
  Object.entries(rows).every(
    ([table, expected]) =>
      found[table]?.length === expected.length &&
      expected.every((row) => found[table]?.some((each) => isLike(row, each))),
  )

const isLike = (row: object, found: object): boolean => {
  const values = new Map(Object.entries(found))
  return Object.entries(row).every(([column, value]) => String(values.get(column)) === String(value))
}
