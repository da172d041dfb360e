import { readNotice } from '../../../src/redis/notices.js'
import { ownerName, ownerNumber, times, type Job, type SentNotice } from '../job.js'
import type { StepReply } from '../judge.js'

export type ScriptName = 'acquire' | 'setCount' | 'release' | 'refresh' | 'force'

/** The runner subscribes to one of the two channels of an owner; the other stands for a lost subscription. */
export const inboxName = (owner: number, isSubscribed: boolean): string =>
  `holdfast:inbox:model:${owner}:${isSubscribed ? 'subscribed' : 'lost'}`

/** The script that a job runs, and its arguments, as the commands of the library write them. */
export function scriptOf({ owner, step, subscribed }: Job): { name: ScriptName; args: (string | number)[] } {
  const name = ownerName(owner)
  const inbox = inboxName(owner, subscribed[owner] ?? false)
  const { leaseMs, tombstoneMs } = times
  const entryTtlMs = times.entryTtlMs(owner)
  const waiting = `${entryTtlMs} ${leaseMs} 1 p ${inbox}`
  switch (step) {
    case 'request':
      return { name: 'acquire', args: [name, leaseMs, 0, waiting] }
    case 'try':
      return { name: 'acquire', args: [name, leaseMs, 0, ''] }
    case 'enter':
      return { name: 'setCount', args: [name, 2, leaseMs] }
    case 'leave':
      return { name: 'setCount', args: [name, 1, 0] }
    case 'release':
      return { name: 'release', args: [name, 0] }
    case 'abandon':
      return { name: 'release', args: [name, 0, tombstoneMs] }
    case 'refresh':
      return { name: 'refresh', args: [name, entryTtlMs] }
    case 'force':
      return { name: 'force', args: [name, inbox, 0] }
    default:
      throw new Error(`a lock has no step ${step}`)
  }
}

/** Reads a reply as the script of that step writes it. */
export function readReply(step: Job['step'], reply: unknown): StepReply {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const code = list[0] ?? reply
  switch (step) {
    case 'request':
    case 'try':
      if (typeof reply === 'string') {
        const [token, , position] = reply.split(' ')
        if (position === undefined) return { kind: 'held', token: Number(token) }
        return { kind: position === '0' ? 'unqueued' : 'queued' }
      }
      if (code === -2) return { kind: 'abandoned' }
      break
    case 'enter':
      if (code === 1) return { kind: 'held', token: 0 }
      if (code === 0) return { kind: 'lost' }
      break
    case 'refresh':
      if (code === 1) return { kind: 'waiting' }
      if (code === 2) return { kind: 'granted' }
      if (code === 0) return { kind: 'missing' }
      break
    default:
      if (code === 1) return { kind: 'released' }
      if (code === 0) return { kind: 'not-held' }
  }
  throw new Error(`an unexpected reply to ${step}: ${String(reply)}`)
}

/** Reads a message that a script published, which may notify several owners. */
export function readSentNotices(text: string): SentNotice[] {
  const notice = readNotice(text)
  if (notice?.kind === 'granted') {
    return [{ kind: 'granted', to: ownerNumber(notice.owner), token: notice.token }]
  }
  if (notice?.kind === 'entered') {
    const { owners, token } = notice
    return owners.map(({ owner }) => ({ kind: 'granted', to: ownerNumber(owner), token }))
  }
  if (notice?.kind === 'revoked') return [{ kind: 'revoked', to: ownerNumber(notice.owner) }]
  throw new Error(`an unexpected message: ${text}`)
}
