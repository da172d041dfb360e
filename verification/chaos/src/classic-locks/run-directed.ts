import type { HistoryEvent } from '@holdfast/testkit'
import type { Participant, ParticipantOptions } from './participant.js'
import { HoldfastParticipant } from './holdfast-participant.js'
import { LockUnderTest } from './lock-under-test.js'
import type { DirectedSchedule } from './directed-schedules.js'
import type { ClassicStage } from './classic-stages.js'
import { SteppedRedis } from './stepped-redis.js'
import { ClassicParticipant } from './classic-participant.js'

/** The outcome of a directed schedule. */
export interface DirectedResult {
  readonly history: readonly HistoryEvent[]
  /** Per participant, the code of the error with which its release failed; `null` if it did not. */
  readonly releaseErrors: Readonly<Record<string, string | null>>
}

export interface HoldfastRunOptions {
  /** The compiled `classic-locks/holdfast-worker` of this package. */
  readonly workerFile: string
  /** @defaultValue 1_500 */
  readonly watchdogTimeoutMs?: number
}

/** Runs a schedule with the stage's lock: the stage's own schedule by default. */
export function runStage(
  stage: ClassicStage,
  url: string,
  schedule = stage.schedule,
): Promise<DirectedResult> {
  return runDirected(schedule, new LockUnderTest(url, ''), (subject, name, { clockAheadMs = 0 }) => {
    const redis = new SteppedRedis(url)
    const lock = stage.open(redis, subject.key, () => Date.now() + clockAheadMs)
    return Promise.resolve(new ClassicParticipant(name, subject, redis, lock, stage.lastCommands))
  })
}

/** Runs a schedule with Holdfast's lock. */
export function runWithHoldfast(
  schedule: DirectedSchedule,
  url: string,
  { workerFile, watchdogTimeoutMs = 1_500 }: HoldfastRunOptions,
): Promise<DirectedResult> {
  return runDirected(schedule, new LockUnderTest(url, 'lock:'), (subject, name, options) =>
    HoldfastParticipant.start(name, subject, { ...options, workerFile, watchdogTimeoutMs }),
  )
}

async function runDirected(
  schedule: DirectedSchedule,
  subject: LockUnderTest,
  startParticipant: (
    subject: LockUnderTest,
    name: string,
    options: ParticipantOptions,
  ) => Promise<Participant>,
): Promise<DirectedResult> {
  await using _subject = subject
  const participants: Participant[] = []
  try {
    await schedule({
      async start(name, options = {}) {
        const participant = await startParticipant(subject, name, options)
        if (options.clockAheadMs)
          subject.noteFault(name, `clock ${options.clockAheadMs / 60_000} minutes ahead`)
        participants.push(participant)
        return participant
      },
      async isServed(waiting) {
        if (await subject.isHeldWithoutTtl()) return false
        await waiting.entered()
        return true
      },
    })
  } finally {
    await Promise.all(participants.map((participant) => participant.close()))
  }
  await subject.clear()
  return {
    history: subject.history,
    releaseErrors: Object.fromEntries(participants.map(({ name, releaseError }) => [name, releaseError])),
  }
}
