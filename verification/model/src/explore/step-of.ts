import { proofOf, type Reply, type Step } from '../step.js'
import { ownerName, times, type Job } from './job.js'
import type { Shape } from './shape.js'
import { at, type Reply as ModelReply } from './state.js'

/** The step that a job takes. */
export function stepOf({ isLock, size, wants, ticket }: Shape, { owner: number, step, store }: Job): Step {
  const owner = ownerName(number)
  const { leaseMs } = times
  const entryTtlMs = times.entryTtlMs(number)
  const heir = ticket === null ? undefined : ownerName(ticket)
  switch (step) {
    case 'request':
    case 'try':
    case 'enter':
    case 'take over':
      return {
        kind: 'acquire',
        owner,
        count: step === 'enter' ? 2 : at(wants, number),
        size: isLock ? undefined : size,
        leaseMs,
        entryTtlMs: step === 'request' ? entryTtlMs : 0,
        grantLeaseMs: leaseMs,
        proof: proofOf(owner),
        tokenFloor: 0,
        ...(step === 'take over' && { heir }),
      }
    case 'hand over':
    case 'hand over in doubt': {
      const tombstoneMs = step === 'hand over' ? 0 : times.tombstoneMs
      return { kind: 'release', owner, count: 0, tombstoneMs, keepMs: leaseMs, heir, tokenFloor: 0 }
    }
    case 'refresh':
      return { kind: 'refresh', owner, entryTtlMs }
    case 'renew':
      return { kind: 'renew', owner, leaseMs }
    case 'force':
      return { kind: 'force', owner, tokenFloor: 0 }
    case 'sweep':
      return { kind: 'sweep' }
    default: {
      const [, verb = '', given = '0'] = /^(\w+)(?: to (\d+))?$/.exec(step) ?? []
      if (verb === 'resize') {
        const version = store.size === null ? 0 : 1
        const keepMs = times.restoredLeaseMs
        return { kind: 'resize', size: Number(given), keepMs, version, id: 'this resize', tokenFloor: 0 }
      }
      const tombstoneMs = step === 'abandon' ? times.tombstoneMs : 0
      return {
        kind: 'release',
        owner,
        count: step === 'leave' ? 1 : Number(given),
        tombstoneMs,
        tokenFloor: 0,
      }
    }
  }
}

/** What a reply is in the model. */
export function replyOf({ isLock }: Shape, reply: Reply): ModelReply {
  switch (reply.kind) {
    case 'busy':
      return reply.position === 0 ? 'unqueued' : 'queued'
    case 'waiting':
      return !isLock && reply.ttlMs < 0 ? 'due' : 'waiting'
    case 'held':
    case 'lost':
    case 'abandoned':
    case 'released':
    case 'not-held':
    case 'no-reply':
    case 'granted':
    case 'missing':
    case 'renewed':
    case 'resized':
    case 'done':
      return reply.kind
    default:
      throw new Error(`an unexpected reply: ${JSON.stringify(reply)}`)
  }
}
