import { nowMs, until, type HistoryEvent } from '@holdfast/testkit'
import type { FaultContext } from './faults/fault-context.js'
import { recordsOf, type Leftover } from './records.js'

/** A hold as its client knows it. */
export interface ReportedHold {
  readonly lock: string
  readonly owner: string
  readonly atClient: number
}

/** Compares the counts that clients report with the server's, while nothing moves. */
export async function compareCounts(
  context: FaultContext,
  reported: readonly ReportedHold[],
): Promise<HistoryEvent[]> {
  const perLock = context.locks.map(async (lock, n) => {
    const counts = await recordsOf(context).counts(n)
    const known = new Map(
      reported.filter((hold) => hold.lock === lock).map((hold) => [hold.owner, hold.atClient]),
    )
    // A lock that no live process was left to take may still be held by a dead one.
    if (known.size === 0) return []
    const owners = [...new Set([...known.keys(), ...Object.keys(counts)])]
    return owners.map((owner): HistoryEvent => ({
      kind: 'counted',
      atMs: nowMs(),
      lock,
      owner,
      atClient: known.get(owner) ?? 0,
      atServer: counts[owner] ?? 0,
    }))
  })
  return (await Promise.all(perLock)).flat()
}

/** A client that closes in good order removes everything; the time is slack for busy machines. */
const closedRemoveWithinMs = 1_000

export interface LeftoverOptions {
  /** By when leases and queue entries of dead processes have expired. */
  readonly deadExpireWithinMs: number
  /** Whether the owner may belong to a process that did not close. */
  readonly mayBeDead: (owner: string) => boolean
}

/** What remains of the locks after every process has closed or died. */
export async function findLeftovers(
  context: FaultContext,
  { deadExpireWithinMs, mayBeDead }: LeftoverOptions,
): Promise<HistoryEvent[]> {
  const isOfDead = ({ owner }: Leftover) => mayBeDead(owner)
  const perLock = context.locks.map(async (lock, n) => {
    const inspect = () => recordsOf(context).leftovers(n)
    const ofClosed = await remaining(
      async () => (await inspect()).filter((leftover) => !isOfDead(leftover)),
      closedRemoveWithinMs,
    )
    const ofDead = await remaining(async () => (await inspect()).filter(isOfDead), deadExpireWithinMs)
    return [...ofClosed, ...ofDead].map(({ what }): HistoryEvent => ({
      kind: 'leftover',
      atMs: nowMs(),
      lock,
      what,
    }))
  })
  return (await Promise.all(perLock)).flat()
}

/** What the inspection still finds when that time is up. */
async function remaining(inspect: () => Promise<Leftover[]>, timeoutMs: number): Promise<Leftover[]> {
  let found: Leftover[] = []
  const isClean = async () => {
    found = await inspect()
    return found.length === 0
  }
  await until(isClean, { what: 'nothing to be left', timeoutMs }).catch(() => undefined)
  return found
}
