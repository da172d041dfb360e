import type { AcquireReply, ReleaseReply } from '../../src/engine/replies.js'
import type { StepReply } from './judge.js'

// What an engine replies, in the words of the model.

export function acquireReply(reply: AcquireReply): StepReply {
  switch (reply.kind) {
    case 'held':
      return { kind: 'held', token: reply.token }
    case 'busy':
      return { kind: reply.position === 0 ? 'unqueued' : 'queued', ttlMs: reply.ttlMs }
    case 'not-a-lock':
      throw new Error(reply.reason)
    default:
      return reply
  }
}

export function releaseReply(reply: ReleaseReply): StepReply {
  if (reply.kind === 'not-a-lock') throw new Error(reply.reason)
  return reply
}
