import type { Problem } from './problem.js'
import type { Notice, StepKind, Reply, StoreState } from './state.js'

/** One step on the lock: by which owner, which one, and in which state of the store. */
export interface Job {
  readonly store: StoreState
  readonly owner: number
  readonly step: StepKind | 'refresh' | 'force'
  /** Per owner, whether its client is subscribed. */
  readonly subscribed: readonly boolean[]
}

export interface Outcome {
  readonly store: StoreState
  readonly reply: Reply
  readonly notices: readonly { readonly to: number; readonly notice: Notice }[]
  readonly problems: readonly Problem[]
}

export const keyOfJob = ({ store, owner, step, subscribed }: Job): string =>
  `${store.key}!${owner}${step}${subscribed.map(Number).join('')}`

const hourMs = 3_600_000

/** Long enough that the wall clock never matters; time passes only where the model lets it. */
export const times = {
  leaseMs: 5 * hourMs,
  /** Restored holds have more left than any command asks for, so that a TTL that shrinks shows. */
  restoredLeaseMs: 10 * hourMs,
  /** Owners ask for different times, the first for the longest. */
  entryTtlMs: (owner: number): number => (9 - owner) * hourMs,
  tombstoneMs: 12 * hourMs,
  /** How far the clock may go on while a batch runs. */
  slackMs: hourMs / 2,
} as const

export const ownerName = (owner: number): string => `model:${owner}`
export const ownerNumber = (name: string): number => Number(name.slice('model:'.length))

/** The runner subscribes to one of the two channels of an owner; the other stands for a lost subscription. */
export const inboxName = (owner: number, isSubscribed: boolean): string =>
  `holdfast:inbox:model:${owner}:${isSubscribed ? 'subscribed' : 'lost'}`

/** The script that a job runs, and its arguments, as the commands of the library write them. */
export function scriptOf({ owner, step, subscribed }: Job): {
  name: 'acquire' | 'release' | 'refresh' | 'force'
  args: (string | number)[]
} {
  const name = ownerName(owner)
  const inbox = inboxName(owner, subscribed[owner] ?? false)
  const { leaseMs, tombstoneMs } = times
  const entryTtlMs = times.entryTtlMs(owner)
  switch (step) {
    case 'request':
      return { name: 'acquire', args: [name, 1, leaseMs, entryTtlMs, leaseMs, inbox, 0, 1] }
    case 'try':
      return { name: 'acquire', args: [name, 1, leaseMs, 0, leaseMs, inbox, 0, 1] }
    case 'enter':
      return { name: 'acquire', args: [name, 2, leaseMs, 0, leaseMs, inbox, 0, 1] }
    case 'leave':
      return { name: 'release', args: [name, 1, 0, 0, 1] }
    case 'release':
      return { name: 'release', args: [name, 0, 0, 0, 1] }
    case 'abandon':
      return { name: 'release', args: [name, 0, tombstoneMs, 0, 1] }
    case 'refresh':
      return { name: 'refresh', args: [name, entryTtlMs] }
    case 'force':
      return { name: 'force', args: [name, inbox, 0, 1] }
  }
}

/** What the script's reply says to the model. */
export function replyOf({ step }: Job, reply: unknown): Reply {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const code = list[0] ?? reply
  switch (step) {
    case 'request':
    case 'try':
    case 'enter':
      if (typeof reply === 'number') return 'held'
      if (typeof reply === 'string') return reply.split(' ')[2] === '0' ? 'unqueued' : 'queued'
      if (code === -1) return 'lost'
      if (code === -2) return 'abandoned'
      break
    case 'refresh':
      if (code === 1) return 'waiting'
      if (code === 2) return 'held'
      if (code === 0) return 'missing'
      break
    default:
      if (code === 1) return 'released'
      if (code === 0) return 'not-held'
  }
  throw new Error(`an unexpected reply to ${step}: ${String(reply)}`)
}
