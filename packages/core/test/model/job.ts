import type { Problem } from './problem.js'
import type { Message, Order, Reply, ServerState } from './state.js'

/** One script run: by whom, what, and in which of the states that Redis can be in. */
export interface Job {
  readonly server: ServerState
  readonly owner: number
  readonly order: Order | 'refresh' | 'force'
  /** Per owner, whether its inbox has a subscriber. */
  readonly heard: readonly boolean[]
}

export interface Outcome {
  readonly server: ServerState
  readonly reply: Reply
  readonly messages: readonly { readonly to: number; readonly message: Message }[]
  readonly problems: readonly Problem[]
}

export const keyOfJob = ({ server, owner, order, heard }: Job): string =>
  `${server.key}!${owner}${order}${heard.map(Number).join('')}`

const hourMs = 3_600_000

/** Long enough that the wall clock never matters; time passes only where the model lets it. */
export const times = {
  leaseMs: 5 * hourMs,
  /** Holds are put there with more than any command asks for, so that a TTL that shrinks is seen. */
  restoredLeaseMs: 10 * hourMs,
  /** Owners want places of different length, the first the longest. */
  placeMs: (owner: number): number => (9 - owner) * hourMs,
  markMs: 12 * hourMs,
  /** How far the clock may go on while a batch runs. */
  slackMs: hourMs / 2,
} as const

export const ownerName = (owner: number): string => `model:${owner}`
export const ownerNumber = (name: string): number => Number(name.slice('model:'.length))

/** One channel that is subscribed to stands for an inbox that is heard, another for the same inbox when it is not. */
export const inboxName = (owner: number, isHeard: boolean): string =>
  `holdfast:inbox:model:${owner}:${isHeard ? 'heard' : 'deaf'}`

/** The script that a job runs, and its arguments, as the commands of the library write them. */
export function scriptOf({ owner, order, heard }: Job): {
  name: 'acquire' | 'release' | 'refresh' | 'force'
  args: (string | number)[]
} {
  const name = ownerName(owner)
  const inbox = inboxName(owner, heard[owner] ?? false)
  const { leaseMs, markMs } = times
  const placeMs = times.placeMs(owner)
  switch (order) {
    case 'ask':
      return { name: 'acquire', args: [name, 1, leaseMs, placeMs, leaseMs, inbox, 0, 1] }
    case 'try':
      return { name: 'acquire', args: [name, 1, leaseMs, 0, leaseMs, inbox, 0, 1] }
    case 'enter':
      return { name: 'acquire', args: [name, 2, leaseMs, 0, leaseMs, inbox, 0, 1] }
    case 'leave':
      return { name: 'release', args: [name, 1, 0, 0, 1] }
    case 'free':
      return { name: 'release', args: [name, 0, 0, 0, 1] }
    case 'mark':
      return { name: 'release', args: [name, 0, markMs, 0, 1] }
    case 'refresh':
      return { name: 'refresh', args: [name, placeMs] }
    case 'force':
      return { name: 'force', args: [name, inbox, 0, 1] }
  }
}

/** What the script's reply says to the model. */
export function replyOf({ order }: Job, reply: unknown): Reply {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const code = list[0] ?? reply
  switch (order) {
    case 'ask':
    case 'try':
    case 'enter':
      if (typeof reply === 'number') return 'held'
      if (typeof reply === 'string') return reply.split(' ')[2] === '0' ? 'unqueued' : 'queued'
      if (code === -1) return 'lost'
      if (code === -2) return 'gone'
      break
    case 'refresh':
      if (code === 1) return 'waiting'
      if (code === 2) return 'held'
      if (code === 0) return 'missing'
      break
    default:
      if (code === 1) return 'done'
      if (code === 0) return 'not-held'
  }
  throw new Error(`an unexpected reply to ${order}: ${String(reply)}`)
}
