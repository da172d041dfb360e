import type { Notice, StepContext } from '../../../../memory/src/hand-off.js'
import type { LockState } from '../../../../memory/src/lock-state.js'
import { acquireReply, releaseReply } from '../engine-replies.js'
import { ownerName, ownerNumber, times, type Job, type Outcome, type SentNotice } from '../job.js'
import { judge, type LockAfter, type StepReply } from '../judge.js'
import { acquireRequest, releaseRequest } from '../lock-requests.js'
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

  #step(state: LockState, job: Job, context: StepContext): StepReply {
    const { acquire, release, refresh, force, renew } = this.#machine.steps
    const owner = ownerName(job.owner)
    switch (job.step) {
      case 'request':
      case 'try':
      case 'enter':
        return acquireReply(acquire(state, acquireRequest(job), context))
      case 'leave':
      case 'release':
      case 'abandon':
        return releaseReply(release(state, releaseRequest(job), context))
      case 'refresh':
        return { kind: refresh(state, owner, times.entryTtlMs(job.owner), nowUs).state }
      case 'force':
        return releaseReply(force(state, owner, context))
      case 'renew':
        return { kind: renew(state, owner, times.leaseMs, nowUs) }
      case 'sweep':
        return { kind: 'swept' }
      default:
        throw new Error(`a lock has no step ${job.step}`)
    }
  }
}

export const sentNotice = (notice: Notice): SentNotice =>
  notice.kind === 'granted'
    ? { kind: 'granted', to: ownerNumber(notice.owner), token: notice.token }
    : { kind: 'revoked', to: ownerNumber(notice.owner) }
