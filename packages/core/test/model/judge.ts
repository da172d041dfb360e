import { readNotice } from '../../src/redis/notices.js'
import { ownerNumber, replyOf, times, type Job, type Outcome } from './job.js'
import type { Problem, Promised } from './problem.js'
import { lastToken } from './restore.js'
import { at, nameOf, type Message, type ServerState } from './state.js'

/** What was read back after a script ran. */
export interface After {
  readonly server: ServerState
  readonly reply: unknown
  /** Per owner how long its place or mark lives, -1 for none that lives. */
  readonly aliveMs: readonly number[]
  readonly token: number
  readonly ttlMs: Readonly<Record<'lock' | 'queue' | 'waiters' | 'fence', number>>
}

/** Checks what one run of a script did, as far as Redis and the replies alone show it. */
export function judge(job: Job, after: After, published: readonly string[]): Outcome {
  const notices = published.map((text) => readNotice(text))
  const messages = notices.flatMap((notice): { to: number; message: Message }[] =>
    // Native scripts offer no turns.
    notice && notice.kind !== 'free' ? [{ to: ownerNumber(notice.owner), message: notice.kind }] : [],
  )
  const told = notices.flatMap((notice) => (notice?.kind === 'granted' ? [notice.token] : []))
  const problems = [
    ...tokenProblems(job, after, told),
    ...placeProblems(job, after),
    ...handOffProblems(job, after),
    ...ttlProblems(job, after),
  ]
  return { server: after.server, reply: replyOf(job, after.reply), messages, problems }
}

const problem = (promise: Promised, detail: string): Problem => ({ promise, detail })

const holders = ({ counts }: ServerState): number[] =>
  counts.flatMap((count, owner) => (count > 0 ? [owner] : []))

/** Who holds now and did not before. */
export const newHolders = (before: ServerState, after: ServerState): number[] =>
  holders(after).filter((owner) => at(before.counts, owner) === 0)

export const isServable = (server: ServerState, heard: readonly boolean[], owner: number): boolean =>
  server.queue.includes(owner) && server.entries[owner] === 'live' && (heard[owner] ?? false)

function tokenProblems(job: Job, { server, reply, token }: After, told: readonly number[]): Problem[] {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const isAsk = job.order === 'ask' || job.order === 'try' || job.order === 'enter'
  const answered = isAsk && list[0] === 1 ? [Number(list[1])] : []
  const isGranted = newHolders(job.server, server).length > 0
  const before = job.server.hasFence ? lastToken : 0
  const found: Problem[] = []
  if (isGranted ? token <= before : token !== before) {
    found.push(problem('token', `the last token was ${before}, now it is ${token}`))
  }
  for (const given of [...told, ...answered]) {
    if (given !== token) found.push(problem('token', `${given} was given while the fence says ${token}`))
  }
  return found
}

function placeProblems({ server: before }: Job, { server }: After): Problem[] {
  const found: Problem[] = []
  const holding = holders(server)
  if (holding.length > 1) found.push(problem('exclusion', `${holding.length} owners in the hash of the lock`))
  for (const owner of holding) {
    if (!server.queue.includes(owner) && server.entries[owner] !== 'live') continue
    if (before.queue.includes(owner) && at(before.counts, owner) > 0) continue
    found.push(problem('leftover', `${nameOf(owner)} holds and still has a place`))
  }
  return found
}

function handOffProblems({ server: before, order, owner, heard }: Job, { server, reply }: After): Problem[] {
  const found: Problem[] = []
  for (const next of newHolders(before, server)) {
    if (next === owner && order !== 'force') continue
    if (!isServable(before, heard, next))
      found.push(problem('handOff', `${nameOf(next)} was not there to be granted`))
  }
  const code: unknown = Array.isArray(reply) ? reply[0] : reply
  const frees = order === 'free' || order === 'mark' || (order === 'force' && code === 1)
  const waiting = server.queue.filter((each) => isServable(server, heard, each))
  if (frees && holders(server).length === 0 && waiting.length > 0) {
    found.push(problem('handOff', `the lock is free and ${waiting.map(nameOf).join('')} waits`))
  }
  return found
}

function ttlProblems({ server: before }: Job, { server, aliveMs, ttlMs }: After): Problem[] {
  const found: Problem[] = []
  const requireMs = (key: keyof typeof ttlMs, ms: number): void => {
    const isShort = ttlMs[key] + times.slackMs / 2 < ms
    if (isShort) found.push(problem('ttl', `${key}: ${ttlMs[key]} ms instead of ${ms} ms`))
  }
  const holding = holders(server)
  const isSameHold = holding.some((owner) => at(before.counts, owner) > 0)
  if (holding.length > 0) requireMs('lock', isSameHold ? times.restoredLeaseMs : times.leaseMs)
  const placesMs = server.queue.map((owner) => (server.entries[owner] === 'live' ? at(aliveMs, owner) : 0))
  if (server.queue.length > 0) requireMs('queue', Math.max(times.slackMs, ...placesMs))
  if (server.entries.some((entry) => entry !== '-')) requireMs('waiters', Math.max(times.slackMs, ...aliveMs))
  if (server.hasFence) requireMs('fence', 2 * times.leaseMs)
  return found
}
