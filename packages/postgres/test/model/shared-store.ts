import { acquireReply, releaseReply } from '../../../core/test/model/engine-replies.js'
import { lastToken, ownerName, times, type Job, type Outcome } from '../../../core/test/model/job.js'
import { shortOf, type StepReply } from '../../../core/test/model/judge.js'
import type { Problem } from '../../../core/test/model/problem.js'
import { findsEndedHold, runsAgain } from '../../../core/test/model/shared/differences.js'
import { judgeShared } from '../../../core/test/model/shared/judge.js'
import { acquireRequest, releaseRequest, resizeRequest } from '../../../core/test/model/shared/requests.js'
import { at, type Shared } from '../../../core/test/model/state.js'
import { addressOf } from '../../src/address.js'
import type { Step } from '../../src/step.js'
import { Steps } from '../../src/steps.js'
import { schema } from './functions.js'
import { inboxOf, proofOf } from './inboxes.js'
import { counterProblems, inboxProblems, longLeaseMs, tokenProblems } from './lock-judge.js'
import { mapped, rowWaitMs } from './lock-store.js'
import { readShared, type SharedTablesAfter } from './shared-read-back.js'
import { sharedRows } from './shared-rows.js'
import { objectName, type OtherWay, type TableStore, type Way } from './table-store.js'

const steps = new Steps(schema)
const address = addressOf(objectName, 'semaphore')

/** A read/write lock or semaphore in PostgreSQL. */
export const sharedStore = (shared: Shared): TableStore<SharedTablesAfter> => ({
  tables: ['shared', 'shared_hold', 'shared_place', 'tombstone'],
  otherWaysOf,
  rowsOf: (job, way) => sharedRows(shared, job, way),
  callOf: (job, way) => callOf(shared, job, way),
  readBack: readShared,
  judge: (job, after) => judgeTables(shared, job, after),
})

function otherWaysOf(job: Job): readonly OtherWay[] {
  const { step, owner, store } = job
  const unsettled: OtherWay = {
    isUnsettled: true,
    promise: 'expiry',
    allows: (expected, outcome) => findsEndedHold(job, expected, outcome),
  }
  const ways: OtherWay[] = [
    unsettled,
    {
      isRepeated: true,
      promise: 'repetition',
      allows: (first, second) => runsAgain(job, first, second),
    },
    { hasNoKeys: true, promise: 'handOff' },
    { tokenFloor: lastToken + 1_000, promise: 'token' },
  ]
  const waitsAlone = store.queue.length === 1 && store.entries[owner] === 'live'
  if (waitsAlone && (step === 'request' || step === 'refresh')) ways.push({ endsSoon: true, promise: 'ttl' })
  if (step === 'renew') return [...ways, { renewsForLonger: true, promise: 'ttl' }]
  const isInUse = store.queue.length > 0 || store.counts.some((count) => count > 0)
  return step === 'sweep' && isInUse ? [...ways, { ...unsettled, isTokenForgotten: true }] : ways
}

/** What a step calls, and its reply in the words of the model. */
function callOf(shared: Shared, job: Job, way: Way): Step<StepReply> {
  const { owner: number, step, subscribed } = job
  const { tokenFloor = 0, renewsForLonger = false } = way
  const owner = ownerName(number)
  const inbox = inboxOf(number, at(subscribed, number), way)
  switch (step) {
    case 'request':
    case 'try':
      return mapped(
        steps.acquire(address, { ...acquireRequest(shared, job), proof: proofOf(number) }, inbox, tokenFloor),
        acquireReply,
      )
    case 'force':
      return mapped(steps.force(address, owner, inbox.channel, tokenFloor), releaseReply)
    case 'refresh':
      return mapped(
        steps.refresh([{ address, owner, entryTtlMs: times.entryTtlMs(number) }], inbox),
        (replies): StepReply => {
          const { state, ttlMs } = at(replies, 0)
          return state === 'waiting' ? { kind: ttlMs < 0 ? 'due' : state, ttlMs } : { kind: state }
        },
      )
    case 'renew': {
      const leaseMs = renewsForLonger ? longLeaseMs : times.leaseMs
      return mapped(steps.renew([{ address, owner, leaseMs }], rowWaitMs), (replies) => ({
        kind: at(replies, 0),
      }))
    }
    case 'sweep':
      return mapped(steps.sweep(1_000), () => ({ kind: 'swept' }))
    default: {
      const resize = resizeRequest(job)
      if (!resize) return mapped(steps.release(address, releaseRequest(job), tokenFloor), releaseReply)
      return mapped(steps.resize(address, resize, tokenFloor), ({ kind }): StepReply => {
        if (kind !== 'resized') throw new Error(`an unexpected reply to ${step}: ${kind}`)
        return { kind }
      })
    }
  }
}

/** Checks what one step did, and what only tables show. */
function judgeTables(shared: Shared, job: Job, after: SharedTablesAfter): Outcome {
  const outcome = judgeShared(shared, job, after)
  const problems = [
    ...outcome.problems,
    ...counterProblems(after),
    ...tokenProblems(job, after),
    ...inboxProblems(job, after),
    ...renewalProblems(job, after),
  ]
  return { ...outcome, problems }
}

function renewalProblems({ owner }: Job, { reply, way, holdsMs }: SharedTablesAfter): Problem[] {
  if (reply.kind !== 'renewed' || !way.renewsForLonger) return []
  return shortOf('the renewed hold', at(holdsMs, owner), longLeaseMs)
}
