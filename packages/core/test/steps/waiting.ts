import {
  byOwner,
  formerProofOf,
  proofOf,
  type Contents,
  type EntryContents,
  type Problem,
} from '@holdfast/model'
import type { Keys } from '../../src/redis/keys.js'
import { inboxOf } from './inboxes.js'
import type { Command, KeyContents, Leftover } from './redis-kind.js'

/** How queue entries of a kind are written. */
export interface Entries {
  /** How many of their instants' units a millisecond has. */
  readonly unitsPerMs: number
  /** @param address - proof and inbox */
  write(entry: EntryContents, nowMs: number, address: string): string
  read(
    words: readonly string[],
    nowMs: number,
  ): Omit<EntryContents, 'owner' | 'saysWhere' | 'hasProof'> & { proof: string; inbox: string }
}

/** How long what has expired has done so when it is written. */
const agoMs = 1_800_000

/** The commands that write the queue, those that wait, their tombstones and the last token. */
export function restoreWaiting(
  contents: Contents,
  { queue, waiters, fence }: Keys,
  nowMs: number,
  entries: Entries,
  leftover: { readonly kind: Leftover; readonly owners: readonly string[] } | undefined,
): Command[] {
  const { tombstones, unsubscribed, token, fenceMs, queueMs } = contents
  // A refresh does not say where its client listens, so that is never out of date.
  const entryOf = (entry: EntryContents): string => {
    const { owner, hasProof } = entry
    const proof = hasProof ? proofOf(owner) : formerProofOf(owner)
    return entries.write(entry, nowMs, `${proof} ${inboxOf(owner, unsubscribed.includes(owner))}`)
  }
  const oldEntry = { want: 1, size: 1, grantLeaseMs: 1_000, leftMs: -agoMs, saysWhere: true, hasProof: true }
  const left = leftoversOf(contents, leftover?.owners ?? []).flatMap((owner) => [
    owner,
    leftover?.kind === 'stale entry' ? entryOf({ owner, ...oldEntry }) : `gone ${nowMs - agoMs}`,
  ])
  const fields = [
    ...contents.queue.flatMap((entry) => [entry.owner, entryOf(entry)]),
    ...tombstones.flatMap(({ owner, leftMs }) => [owner, `gone ${nowMs + leftMs}`]),
    ...left,
  ]
  const commands: Command[] = []
  if (contents.queue.length > 0) {
    commands.push(['rpush', queue, ...contents.queue.map(({ owner }) => owner)], ['pexpire', queue, queueMs])
  }
  if (fields.length > 0) {
    const longestMs = Math.max(agoMs, queueMs, ...tombstones.map(({ leftMs }) => leftMs))
    commands.push(['hset', waiters, ...fields], ['pexpire', waiters, longestMs])
  }
  if (token > 0) commands.push(['set', fence, token, 'PX', fenceMs])
  return commands
}

/** The owners of which there is nothing else. */
function leftoversOf({ holds, ended, queue, tombstones }: Contents, owners: readonly string[]): string[] {
  const others = new Set([...holds, ...ended, ...queue, ...tombstones].map(({ owner }) => owner))
  return owners.filter((owner) => !others.has(owner))
}

/** What the keys say. Fields that have expired and are in no queue mean nothing. */
export function readWaiting(
  [queue, waiters, fence]: readonly KeyContents[],
  nowMs: number,
  entries: Entries,
  isUnsubscribed: (owner: string) => boolean,
): Pick<Contents, 'queue' | 'queueMs' | 'tombstones' | 'token' | 'fenceMs' | 'problems'> {
  const problems: Problem[] = []
  const texts = pairsOf(waiters?.list ?? [])
  const hashMs = waiters?.ttlMs ?? 0
  const owners = queue?.list ?? []
  const entryOf = (owner: string, text: string): EntryContents => {
    const { proof, inbox, leftMs, ...rest } = entries.read(text.split(' '), nowMs)
    const saysWhere = inbox === inboxOf(owner, isUnsubscribed(owner))
    return { owner, ...rest, leftMs: Math.min(leftMs, hashMs), saysWhere, hasProof: proof === proofOf(owner) }
  }
  const tombstones = [...texts].flatMap(([owner, text]) => {
    const [, untilMs] = /^gone (\d+)$/.exec(text) ?? []
    return untilMs === undefined ? [] : [{ owner, leftMs: Math.min(Number(untilMs) - nowMs, hashMs) }]
  })
  for (const [owner, text] of texts) {
    if (text.startsWith('gone ') || owners.includes(owner) || entryOf(owner, text).leftMs <= 0) continue
    problems.push({ promise: 'order', detail: `${owner} has a queue entry and no position` })
  }
  return {
    queue: owners.map((owner) => {
      const text = texts.get(owner) ?? ''
      if (text === '' || text.startsWith('gone '))
        problems.push({ promise: 'order', detail: `${owner} has a position and no queue entry` })
      return entryOf(owner, text)
    }),
    queueMs: owners.length > 0 ? (queue?.ttlMs ?? 0) : 0,
    tombstones: byOwner(tombstones.filter(({ leftMs }) => leftMs > 0)),
    token: Number(fence?.list[0] ?? 0),
    fenceMs: fence && fence.list.length > 0 ? fence.ttlMs : 0,
    problems,
  }
}

export const pairsOf = (list: readonly string[]): Map<string, string> =>
  new Map(list.flatMap((field, i) => (i % 2 === 0 ? [[field, list[i + 1] ?? ''] as const] : [])))
