import {
  clientOf,
  type AcquireReply,
  type AcquireRequest,
  type BusyReply,
  type EngineHost,
} from '@holdfast/core/engine'
import type { ObjectAddress } from './address.js'
import { entryOf, keepAsItWas } from './claims.js'
import type { CoarseClock } from './coarse-clock.js'
import type { StepOn } from './objects.js'
import { againMs, claimMs } from './poll-pace.js'
import type { WaitingState } from './steps/index.js'

/** What requests need of their session. */
export interface AcquireDeps {
  readonly host: Pick<EngineHost, 'clientId' | 'wake'>
  readonly clock: CoarseClock
  /** Between which bounds the first in line draws the time until it looks again, milliseconds. */
  readonly pollMs: readonly [shortest: number, longest: number]
}

/** In a store that lost its data lately, the longest time until a waiter looks again, milliseconds. */
const closedAgainMs = 500

/** What an entry takes besides its owner and proof, rather too many. */
const entryBytes = 140

/** Lets the owner in, or queues it. One that looks again and finds nothing new leaves the document as it is. */
export function acquire<State extends WaitingState>(
  { id, kind }: ObjectAddress,
  request: AcquireRequest,
  { steps, content, opened, context, holds }: StepOn<State>,
  { host, clock, pollMs }: AcquireDeps,
): AcquireReply {
  const { owner } = request
  const { state, unclaimed } = content
  const { nowUs, opensInMs } = opened
  // One that is in is told so; and one that believes to be, that it is not.
  const wouldEnter = !holds(owner) && (kind === 'shared' || request.count === 1)
  if (opensInMs > 0 && wouldEnter) return closedFor(opensInMs)

  const isNew = request.entryTtlMs > 0 && !holds(owner) && !state.queue.has(owner)
  if (isNew) opened.reserve(owner.length + request.proof.length + entryBytes)

  const entryTtlMs = clock.atLeast(request.entryTtlMs)
  const asItWas = entryOf(state, owner)
  const reply = steps.acquire(
    state,
    {
      ...request,
      leaseMs: clock.atLeast(request.leaseMs),
      entryTtlMs,
      grantLeaseMs: clock.atLeast(Math.min(request.grantLeaseMs, claimMs(pollMs))),
    },
    context,
  )
  if (reply.kind === 'held') unclaimed.delete(owner)
  if (reply.kind !== 'busy') return reply
  keepAsItWas(state, owner, asItWas, { nowUs, entryTtlMs })
  if (asItWas.entry) wakeSiblings()
  return busy(reply)

  /** Only the first of a client's waiters looks, and it need not be the first to be let in. */
  function wakeSiblings(): void {
    for (const other of unclaimed) {
      if (clientOf(other) === host.clientId) opened.afterwards(() => host.wake(id, other))
    }
  }

  /** Grants are not dated here, so the store's clock is of no use to anyone. */
  function busy({ ttlMs, holder, position }: BusyReply): BusyReply {
    const again = againMs(position, pollMs, kind === 'shared' ? 'shared' : 'lock')
    return { kind: 'busy', ttlMs: clock.certainly(ttlMs), holder, position, againMs: again }
  }
}

const closedFor = (opensInMs: number): BusyReply => {
  const ttlMs = Math.min(opensInMs, closedAgainMs)
  return { kind: 'busy', ttlMs, holder: '', position: 0, againMs: ttlMs }
}
