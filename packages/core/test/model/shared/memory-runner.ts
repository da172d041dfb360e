import type { StepContext } from '../../../../memory/src/hand-off.js'
import type { SharedState } from '../../../../memory/src/shared-state.js'
import { acquireReply, releaseReply } from '../engine-replies.js'
import { ownerName, ownerNumber, times, type Job, type Outcome, type SentNotice } from '../job.js'
import type { StepReply } from '../judge.js'
import { sentNotice } from '../memory/machine-runner.js'
import type { Shared } from '../state.js'
import { Outcomes, type StepRunner } from '../step-runner.js'
import { findsEndedHold, runsAgain } from './differences.js'
import { judgeShared, type SharedAfter } from './judge.js'
import { realSharedMachine, type SharedMachine } from './memory-machine.js'
import { readState } from './memory-read-back.js'
import { restoreState } from './memory-restore.js'
import { acquireRequest, releaseRequest, resizeRequest } from './requests.js'

const nowUs = 1_700_000_000_000_000

/** Runs jobs on a read/write lock or semaphore of the memory engine. */
export class SharedMachineRunner implements StepRunner {
  readonly #shared: Shared
  readonly #machine: SharedMachine
  readonly #outcomes: Outcomes<SharedAfter>

  constructor(shared: Shared, machine: SharedMachine = realSharedMachine) {
    this.#shared = shared
    this.#machine = machine
    this.#outcomes = new Outcomes((job, after) => judgeShared(shared, job, after))
  }

  get runs(): number {
    return this.#outcomes.size
  }

  find(job: Job): Outcome | undefined {
    return this.#outcomes.find(job)
  }

  run(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      this.#outcomes.add(job, this.#runOn(job, false, 1), [
        {
          promise: 'expiry',
          after: this.#runOn(job, true, 1),
          allows: (expected, outcome) => findsEndedHold(job, expected, outcome),
        },
        {
          promise: 'repetition',
          after: this.#runOn(job, false, 2),
          allows: (first, second) => runsAgain(job, first, second),
        },
      ])
    }
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #runOn(job: Job, isUnsettled: boolean, times: 1 | 2): SharedAfter {
    const state = restoreState(this.#shared, job, isUnsettled, nowUs)
    const notices: SentNotice[] = []
    const context: StepContext = {
      nowUs,
      tokenFloor: 0,
      isSubscribed: (owner) => job.subscribed[ownerNumber(owner)] ?? false,
      notify: (notice) => notices.push(sentNotice(notice)),
    }
    const run = (): StepReply => {
      this.#machine.settleShared(state, nowUs)
      return this.#step(state, job, context)
    }
    if (times === 2) run()
    return readState(state, { reply: run(), notices }, job.store.counts.length, nowUs)
  }

  #step(state: SharedState, job: Job, context: StepContext): StepReply {
    const { acquire, release, renew, refresh, force, resize } = this.#machine.steps
    const owner = ownerName(job.owner)
    switch (job.step) {
      case 'request':
      case 'try': {
        return acquireReply(acquire(state, acquireRequest(this.#shared, job), context))
      }
      case 'refresh': {
        const { state: kind, ttlMs } = refresh(state, owner, times.entryTtlMs(job.owner), nowUs)
        return kind === 'waiting' ? { kind: ttlMs < 0 ? 'due' : kind, ttlMs } : { kind }
      }
      case 'renew':
        return { kind: renew(state, owner, times.leaseMs, nowUs) }
      case 'force':
        return releaseReply(force(state, owner, context))
      default: {
        const request = resizeRequest(job)
        if (!request) return releaseReply(release(state, releaseRequest(job), context))
        const { kind } = resize(state, request, context)
        if (kind !== 'resized') throw new Error(`an unexpected reply to ${job.step}: ${kind}`)
        return { kind }
      }
    }
  }
}
