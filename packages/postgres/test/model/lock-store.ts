import { acquireReply, releaseReply } from '../../../core/test/model/engine-replies.js'
import { lastToken, ownerName, times, type Job } from '../../../core/test/model/job.js'
import type { StepReply } from '../../../core/test/model/judge.js'
import { acquireRequest, releaseRequest } from '../../../core/test/model/lock-requests.js'
import { at } from '../../../core/test/model/state.js'
import { leavesTheSame } from '../../../core/test/model/step-runner.js'
import { addressOf } from '../../src/address.js'
import type { Step } from '../../src/step.js'
import { Steps } from '../../src/steps.js'
import { schema } from './functions.js'
import { inboxOf, proofOf } from './inboxes.js'
import { judgeLock, longLeaseMs } from './lock-judge.js'
import { readLock, type LockTablesAfter } from './lock-read-back.js'
import { lockRows } from './lock-rows.js'
import { objectName, type OtherWay, type TableStore, type Way } from './table-store.js'

/** For how long a renewal waits for a step that has the row. */
export const rowWaitMs = 1_000

const steps = new Steps(schema)
const address = addressOf(objectName, 'lock')

/** A lock in PostgreSQL. */
export const lockStore: TableStore<LockTablesAfter> = {
  tables: ['lock', 'place', 'tombstone'],
  otherWaysOf,
  rowsOf: lockRows,
  callOf,
  readBack: readLock,
  judge: judgeLock,
}

function otherWaysOf({ step, owner, store }: Job): readonly OtherWay[] {
  const unsettled: OtherWay = { isUnsettled: true, promise: 'expiry' }
  const ways: OtherWay[] = [
    unsettled,
    { isRepeated: true, promise: 'repetition', allows: leavesTheSame },
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
function callOf(job: Job, way: Way): Step<StepReply> {
  const { owner, step, subscribed } = job
  const { tokenFloor = 0, renewsForLonger = false } = way
  const inbox = inboxOf(owner, at(subscribed, owner), way)
  const entry = { address, owner: ownerName(owner), entryTtlMs: times.entryTtlMs(owner) }
  switch (step) {
    case 'request':
    case 'try':
    case 'enter':
      return mapped(
        steps.acquire(address, { ...acquireRequest(job), proof: proofOf(owner) }, inbox, tokenFloor),
        acquireReply,
      )
    case 'leave':
    case 'release':
    case 'abandon':
      return mapped(steps.release(address, releaseRequest(job), tokenFloor), releaseReply)
    case 'force':
      return mapped(steps.force(address, ownerName(owner), inbox.channel, tokenFloor), releaseReply)
    case 'refresh':
      return mapped(steps.refresh([entry], inbox), (replies) => ({ kind: at(replies, 0).state }))
    case 'renew': {
      const leaseMs = renewsForLonger ? longLeaseMs : times.leaseMs
      return mapped(steps.renew([{ address, owner: ownerName(owner), leaseMs }], rowWaitMs), (replies) => ({
        kind: at(replies, 0),
      }))
    }
    case 'sweep':
      return mapped(steps.sweep(1_000), () => ({ kind: 'swept' }))
    default:
      throw new Error(`a lock has no step ${step}`)
  }
}

/** The step, with its reply in the words of the model. */
export const mapped = <T>(step: Step<T>, map: (reply: T) => StepReply): Step<StepReply> => ({
  ...step,
  read: (rows) => map(step.read(rows)),
})
