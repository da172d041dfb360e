import type { ScriptCall } from '../../../src/redis/connection/script-connection.js'
import { SharedCalls } from '../../../src/redis/kinds/shared.js'
import type { Keys } from '../../../src/redis/keys.js'
import { ownerName, times, type Job } from '../job.js'
import type { StepReply } from '../judge.js'
import { inboxName } from '../redis/calls.js'
import { at, type Shared } from '../state.js'
import { acquireRequest, releaseRequest, resizeRequest } from './requests.js'

const calls = new SharedCalls(true)

/** The script that a job runs, as the library calls it. */
export function scriptCallOf(shared: Shared, job: Job, keys: Keys): ScriptCall {
  const { owner: number, step, subscribed } = job
  const owner = ownerName(number)
  const inbox = inboxName(number, at(subscribed, number))
  switch (step) {
    case 'request':
    case 'try':
      return calls.acquire(keys, acquireRequest(shared, job), inbox, '0')
    case 'refresh':
      return calls.refresh([{ address: keys, owner, entryTtlMs: times.entryTtlMs(number) }])
    case 'renew':
      return calls.renew([{ address: keys, owner, leaseMs: times.leaseMs }])
    case 'force':
      return calls.force(keys, owner, inbox, '0')
    default: {
      const resize = resizeRequest(job)
      return resize ? calls.resize(keys, resize, '0') : calls.release(keys, releaseRequest(job), '0')
    }
  }
}

/** Reads a reply as the script of that step writes it. */
export function readReply(step: Job['step'], reply: unknown): StepReply {
  const list: readonly unknown[] = Array.isArray(reply) ? reply : []
  const code = list[0] ?? reply
  if (step === 'request' || step === 'try') {
    if (code === -1) return { kind: 'lost' }
    if (code === -2) return { kind: 'abandoned' }
    if (typeof reply === 'string') {
      const [token, , position] = reply.split(' ')
      if (position === undefined) return { kind: 'held', token: Number(token) }
      return { kind: position === '0' ? 'unqueued' : 'queued', ttlMs: Number(token) }
    }
  } else if (step === 'refresh') {
    const ttlMs = parseInt(String(list[1]))
    if (code === 1) return { kind: ttlMs < 0 ? 'due' : 'waiting', ttlMs }
    if (code === 2) return { kind: 'granted' }
    if (code === 0) return { kind: 'missing' }
  } else if (code === 0) {
    return { kind: 'not-held' }
  } else if (code === 1) {
    if (step === 'renew') return { kind: 'renewed' }
    return { kind: step.startsWith('resize') ? 'resized' : 'released' }
  }
  throw new Error(`an unexpected reply to ${step}: ${String(reply)}`)
}
