import type { BusyReply, JointReply, JointRequest } from '@holdfast/core/engine'
import type { StepContext } from './hand-off.js'
import { ttlMsOf, type LockState } from './lock-state.js'
import * as steps from './lock-steps.js'

/** Runs a step on one lock of the store. */
export type RunStep = <T>(id: string, step: (state: LockState, context: StepContext) => T) => T

/** What a lock is for an owner that requests it together with others. */
type Finding = 'mine' | 'enterable' | 'abandoned' | BusyReply

/** Lets owners into several locks: all, or those before the first that is busy. Atomic by being synchronous. */
export function acquireMany({ locks, mode, leaseMs }: JointRequest, run: RunStep): JointReply {
  const enterable: { readonly id: string; readonly owner: string; readonly isMine: boolean }[] = []
  let busy: { readonly index: number; readonly reply: BusyReply } | undefined
  for (const [index, { address, owner }] of locks.entries()) {
    const { id } = address
    const earlier = locks.slice(0, index).find((each) => each.address.id === id)
    const finding = run(id, (state, context) => find(state, owner, earlier?.owner, context))
    if (finding === 'abandoned') return { kind: 'abandoned' }
    if (typeof finding === 'object') {
      busy = { index, reply: finding }
      break
    }
    enterable.push({ id, owner, isMine: finding === 'mine' })
  }
  const entered = busy && mode === 'all' ? [] : enterable
  const tokens = entered.map(({ id, owner, isMine }) =>
    run(id, (state, context) => {
      const enter = isMine ? tokenOfMine : steps.admit
      return enter(state, owner, leaseMs, context)
    }),
  )
  return { kind: 'entered', tokens, busy }
}

/** @param earlier - the owner for which the same request names this lock already */
function find(state: LockState, owner: string, earlier: string | undefined, context: StepContext): Finding {
  const { nowUs } = context
  const busy = (holder: string): BusyReply => {
    const ttlMs = Math.max(0, ttlMsOf(state, nowUs))
    return { kind: 'busy', ttlMs, serverUs: nowUs, holder, position: 0 }
  }
  if (earlier !== undefined) return busy(earlier)
  if (state.hold?.owner === owner) return 'mine'
  if ((state.tombstones.get(owner) ?? 0) > nowUs) return 'abandoned'
  if (state.hold) return busy(state.hold.owner)
  // One that no notification reaches is passed over.
  for (const [waiter, { aliveUntilUs }] of state.queue)
    if (aliveUntilUs > nowUs && context.isSubscribed(waiter)) return busy('')
  return 'enterable'
}

function tokenOfMine(state: LockState, owner: string, leaseMs: number, context: StepContext): number {
  const request = {
    owner,
    count: 1,
    leaseMs,
    entryTtlMs: 0,
    grantLeaseMs: leaseMs,
    proof: '',
    wantsToken: true,
  }
  const reply = steps.acquire(state, request, context)
  return reply.kind === 'held' ? reply.token : 0
}
