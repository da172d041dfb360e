import type { Notice, StepContext } from '../../../../memory/src/hand-off.js'
import type { LockState } from '../../../../memory/src/lock-state.js'
import type { AcquireReply, ReleaseReply } from '../../../src/engine/replies.js'
import { ownerName, ownerNumber, times, type Job, type Outcome, type SentNotice } from '../job.js'
import { judge, type LockAfter, type StepReply } from '../judge.js'
import { Outcomes, type StepRunner } from '../step-runner.js'
import { realMachine, type Machine } from './machine.js'
import { readBack } from './read-back.js'
import { restore } from './restore.js'

const nowUs = 1_700_000_000_000_000

/** Runs jobs on the state machine of the memory engine. */
export class MachineRunner implements StepRunner {
  readonly #machine: Machine
  readonly #outcomes = new Outcomes(judge)

  constructor(machine: Machine = realMachine) {
    this.#machine = machine
  }

  get runs(): number {
    return this.#outcomes.size
  }

  find(job: Job): Outcome | undefined {
    return this.#outcomes.find(job)
  }

  run(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      this.#outcomes.add(job, this.#runOn(restore(job, false, nowUs), job), [
        { promise: 'expiry', after: this.#runOn(restore(job, true, nowUs), job) },
      ])
    }
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #runOn(state: LockState, job: Job): LockAfter {
    const notices: SentNotice[] = []
    const context: StepContext = {
      nowUs,
      tokenFloor: 0,
      isSubscribed: (owner) => job.subscribed[ownerNumber(owner)] ?? false,
      notify: (notice) => notices.push(sentNotice(notice)),
    }
    this.#machine.settle(state, nowUs)
    const reply = this.#step(state, job, context)
    return { reply, notices, ...readBack(state, job.store.counts.length, nowUs) }
  }

  #step(state: LockState, { owner: number, step }: Job, context: StepContext): StepReply {
    const { acquire, release, refresh, force } = this.#machine.steps
    const owner = ownerName(number)
    const { leaseMs, tombstoneMs } = times
    const entryTtlMs = times.entryTtlMs(number)
    const request = { owner, count: 1, leaseMs, entryTtlMs: 0, grantLeaseMs: leaseMs, wantsToken: true }
    switch (step) {
      case 'request':
        return acquireReply(acquire(state, { ...request, entryTtlMs }, context))
      case 'try':
        return acquireReply(acquire(state, request, context))
      case 'enter':
        return acquireReply(acquire(state, { ...request, count: 2 }, context))
      case 'leave':
        return releaseReply(release(state, { owner, count: 1, tombstoneMs: 0 }, context))
      case 'release':
        return releaseReply(release(state, { owner, count: 0, tombstoneMs: 0 }, context))
      case 'abandon':
        return releaseReply(release(state, { owner, count: 0, tombstoneMs }, context))
      case 'refresh':
        return { kind: refresh(state, owner, entryTtlMs, nowUs).state }
      case 'force':
        return releaseReply(force(state, owner, context))
      default:
        throw new Error(`a lock has no step ${step}`)
    }
  }
}

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

export const sentNotice = (notice: Notice): SentNotice =>
  notice.kind === 'granted'
    ? { kind: 'granted', to: ownerNumber(notice.owner), token: notice.token }
    : { kind: 'revoked', to: ownerNumber(notice.owner) }
