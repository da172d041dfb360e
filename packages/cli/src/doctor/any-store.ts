import { randomUUID } from 'node:crypto'
import type { Holdfast } from '@holdfast/core'
import { countOf, grouped } from '../output/count.js'
import { formatDuration } from '../output/duration.js'
import { failed, ok, unknown, warning, type Finding } from './finding.js'

const rounds = 10
/** A hand-off takes one round trip, so this is felt. */
const slowMs = 20
const mostKeys = 1_000_000

/** Acquires and releases a lock of its own, which shows that all of it works. Rejects if it does not. */
export async function checkCycle(holdfast: Holdfast): Promise<Finding[]> {
  const lock = holdfast.getLock(`holdfast-doctor-${randomUUID()}`)
  // One attempt, which does not outlive an outage.
  const lease = await lock.tryLock()
  await lease?.unlock()
  const cycle = lease
    ? ok('lock', 'acquired and released a lock')
    : warning(
        'lock',
        'no client can acquire a lock just now: the data of the store is new, or was lost lately',
      )
  const times: number[] = []
  for (let i = 0; i < rounds; i += 1) {
    const startedAt = performance.now()
    await lock.isLocked()
    times.push(performance.now() - startedAt)
  }
  const median = times.sort((a, b) => a - b)[rounds / 2] ?? 0
  const text = `${median.toFixed(1)} ms (median of ${rounds})`
  return [
    cycle,
    median <= slowMs
      ? ok('round trip', text)
      : warning('round trip', `${text}: each acquisition and each hand-off takes that long`),
  ]
}

/** How many clients are connected. */
export async function checkClients(holdfast: Holdfast): Promise<Finding[]> {
  if (!holdfast.traits.operator)
    return [unknown('clients', `${holdfast.stats().store} can list neither clients nor locks`)]
  const others = (await holdfast.clients()).filter(({ clientId }) => clientId !== holdfast.clientId)
  const reports = await holdfast.clientReports({ clientIds: others.map(({ clientId }) => clientId) })
  const silent = others.length - reports.length
  const text = `${others.length} connected`
  return [
    silent === 0
      ? ok('clients', text)
      : warning(
          'clients',
          `${text}, of which ${silent} did not report: frozen, busy, or of an older version`,
        ),
  ]
}

/** Looks for keys under the prefix of locks that are none: locks of that name cannot be used. */
export async function checkForeignKeys(holdfast: Holdfast): Promise<Finding[]> {
  if (!holdfast.traits.operator) return []
  const listing = holdfast.locks({ maxKeys: mostKeys })
  const startedAt = performance.now()
  try {
    for await (const _lock of listing) continue
  } catch (error) {
    if (listing.progress.total <= mostKeys) throw error
    return [
      unknown(
        'unrelated keys',
        `not looked for: the store has about ${grouped(listing.progress.total)} keys`,
      ),
    ]
  }
  const { scanned, found, foreign } = listing.progress
  const all = `${countOf(scanned, 'key')} scanned in ${formatDuration(performance.now() - startedAt)}, ${found} in use as locks`
  return foreign === 0
    ? [ok('unrelated keys', `none; ${all}`)]
    : [
        failed(
          'unrelated keys',
          `${countOf(foreign, 'key')} under the prefix of locks ${foreign === 1 ? 'holds' : 'hold'} something else: locks of such names are rejected (NOT_A_LOCK); ${all}`,
        ),
      ]
}
