import { byOwner, formerProofOf, proofOf, type Contents, type EntryContents } from '@holdfast/model'
import { formerInboxOf, inboxOf, type Listening } from './inboxes.js'
import type { Restoring } from './postgres-kind.js'

/** Columns that locks and shared objects have. */
export interface ObjectRow {
  readonly token: number
  readonly fence_until_us: number
  readonly waiting: number
  readonly queue_until_us: number
}

export interface PlaceRow {
  readonly owner: string
  readonly ticket: number
  readonly alive_until_us: number
  readonly grant_lease_ms: number
  readonly inbox: string
  readonly inbox_key: number | null
  readonly proof: string
}

export interface TombstoneRow {
  readonly owner: string
  readonly until_us: number
}

export const msUntil = (instantUs: number, nowUs: number): number => (instantUs - nowUs) / 1_000
export const untilUs = (leftMs: number, { nowUs }: Restoring): number => nowUs + 1_000 * leftMs

/** For how long what has expired has done so. */
export const agoMs = 1_800_000

const ticketOf = (position: number): number => 3 * position

/** Its columns of the object's row, which outlives the queue and the last token and keeps their instants. */
export function objectColumns(
  { queue, queueMs, token, fenceMs }: Contents,
  places: readonly object[],
  restoring: Restoring,
): object {
  const emptyMs = restoring.unsettled.length > 0 ? -agoMs : agoMs
  return {
    token,
    fence_until_us: untilUs(token > 0 ? fenceMs : -agoMs, restoring),
    last_ticket: ticketOf(places.length),
    waiting: places.length,
    queue_until_us: untilUs(queue.length > 0 ? queueMs : emptyMs, restoring),
  }
}

/** @param wanted - further columns of a queue entry */
export function placeRows(
  { queue }: Contents,
  restoring: Restoring,
  wanted: (entry: EntryContents) => object = () => ({}),
): object[] {
  const expired = { want: 1, size: 1, grantLeaseMs: 1, leftMs: -agoMs, saysWhere: true, hasProof: true }
  const stale = restoring.unsettled.map((owner) => ({ owner, ...expired }))
  return (queue.length > 0 ? queue : stale).map((entry, i) => {
    const { owner, grantLeaseMs, leftMs, saysWhere, hasProof } = entry
    const { channel, key } = saysWhere ? inboxOf(owner, restoring.listening(owner)) : formerInboxOf(owner)
    return {
      name: restoring.name,
      owner,
      ticket: ticketOf(i + 1),
      alive_until_us: untilUs(leftMs, restoring),
      grant_lease_ms: grantLeaseMs,
      inbox: channel,
      inbox_key: key,
      proof: hasProof ? proofOf(owner) : formerProofOf(owner),
      ...wanted(entry),
    }
  })
}

export function tombstoneRows({ tombstones }: Contents, restoring: Restoring): object[] {
  const others = restoring.unsettled.filter((each) => !tombstones.some(({ owner }) => owner === each))
  return [...tombstones, ...others.map((owner) => ({ owner, leftMs: -agoMs }))].map(({ owner, leftMs }) => ({
    name: restoring.name,
    owner,
    until_us: untilUs(leftMs, restoring),
  }))
}

/** What the rows say of those that wait. */
export function readWaiting<Place extends PlaceRow>(
  row: ObjectRow | undefined,
  places: readonly Place[],
  tombstones: readonly TombstoneRow[],
  nowUs: number,
  listening: (owner: string) => Listening,
  wanted: (place: Place) => Pick<EntryContents, 'want' | 'size'>,
): Pick<Contents, 'queue' | 'queueMs' | 'tombstones' | 'token' | 'fenceMs'> {
  const hasQueue = row !== undefined && row.waiting > 0 && row.queue_until_us > nowUs
  const hasToken = row !== undefined && row.fence_until_us > nowUs
  const inOrder = [...places].sort((a, b) => a.ticket - b.ticket)
  const left = tombstones.map(({ owner, until_us }) => ({ owner, leftMs: msUntil(until_us, nowUs) }))
  return {
    queue: (hasQueue ? inOrder : []).map((place) => {
      const { owner, grant_lease_ms, alive_until_us, inbox, inbox_key, proof } = place
      const { channel, key } = inboxOf(owner, listening(owner))
      return {
        owner,
        ...wanted(place),
        grantLeaseMs: grant_lease_ms,
        leftMs: msUntil(alive_until_us, nowUs),
        saysWhere: inbox === channel && (inbox_key === null ? null : String(inbox_key)) === key,
        hasProof: proof === proofOf(owner),
      }
    }),
    queueMs: hasQueue ? msUntil(row.queue_until_us, nowUs) : 0,
    tombstones: byOwner(left.filter(({ leftMs }) => leftMs > 0)),
    token: hasToken ? row.token : 0,
    fenceMs: hasToken ? msUntil(row.fence_until_us, nowUs) : 0,
  }
}
