import { Redis } from 'ioredis'
import type { LockKeys } from '../../../src/redis/keys.js'
import { scripts } from '../../../src/redis/scripts/generated.js'
import { plainKeySpace } from '../../support/key-space.js'
import type { Job, Outcome } from '../job.js'
import type { After } from '../judge.js'
import { at } from '../state.js'
import { Outcomes, type StepRunner } from '../step-runner.js'
import { inboxName, readReply, readSentNotice, scriptOf, type ScriptName } from './calls.js'
import { readBack, readCommands } from './read-back.js'
import { restoreCommands, type Command, type Leftover } from './restore.js'

/** The scripts as they are, or with parts of their text replaced. */
export type Lua = ReadonlyMap<ScriptName, string>

export const realLua: Lua = new Map([
  ['acquire', scripts.lockAcquire.lua],
  ['setCount', scripts.lockSetCount.lua],
  ['release', scripts.lockRelease.lua],
  ['refresh', scripts.lockRefresh.lua],
  ['force', scripts.lockForce.lua],
])

const keyCounts = { acquire: 4, setCount: 1, release: 4, refresh: 3, force: 4 } as const

const marker = 'holdfast:model:end-of-batch'
const batchSize = 250
const leftovers: readonly Leftover[] = ['none', 'stale entry', 'expired tombstone']

/** A job, and what the waiters hash still has of others. */
interface Trial {
  readonly job: Job
  readonly leftover: Leftover
}

/**
 * Runs jobs on a real server: puts the state that a job starts from into keys of its own, runs the script on them, and
 * reads the state back.
 */
export class ScriptRunner implements StepRunner {
  readonly #redis: Redis
  readonly #inboxes: Redis
  readonly #shas = new Map<ScriptName, string>()
  readonly #outcomes = new Outcomes()
  /** By lock: what was published about it. */
  readonly #published = new Map<string, string[]>()
  readonly #slots: readonly LockKeys[]
  #onMarker: () => void = () => undefined

  private constructor(url: string) {
    this.#redis = new Redis(url, { lazyConnect: true })
    this.#inboxes = new Redis(url, { lazyConnect: true })
    this.#slots = Array.from({ length: batchSize }, (_, i) => plainKeySpace.lock(`model-${i}`))
    this.#inboxes.on('message', (channel: string, message: string) => {
      if (channel === marker) this.#onMarker()
      else this.#note(message)
    })
  }

  static async open(url: string, owners: number, lua: Lua = realLua): Promise<ScriptRunner> {
    const runner = new ScriptRunner(url)
    const inboxes = Array.from({ length: owners }, (_, owner) => inboxName(owner, true))
    await runner.#inboxes.subscribe(marker, ...inboxes)
    for (const [name, text] of lua) {
      runner.#shas.set(name, String(await runner.#redis.script('LOAD', text)))
    }
    return runner
  }

  get runs(): number {
    return this.#outcomes.size
  }

  find(job: Job): Outcome | undefined {
    return this.#outcomes.find(job)
  }

  async run(jobs: readonly Job[]): Promise<void> {
    const trials = jobs.flatMap((job) => leftovers.map((leftover) => ({ job, leftover })))
    const afters: After[] = []
    for (let from = 0; from < trials.length; from += batchSize) {
      afters.push(...(await this.#runBatch(trials.slice(from, from + batchSize))))
    }
    jobs.forEach((job, i) => {
      const from = i * leftovers.length
      this.#outcomes.add(job, at(afters, from), afters.slice(from + 1, from + leftovers.length))
    })
  }

  async close(): Promise<void> {
    const keys = this.#slots.flatMap(({ lock, queue, waiters, fence }) => [lock, queue, waiters, fence])
    await this.#redis.del(...keys)
    this.#redis.disconnect()
    this.#inboxes.disconnect()
  }

  async #runBatch(trials: readonly Trial[]): Promise<After[]> {
    const [seconds] = await this.#redis.time()
    const nowMs = Number(seconds) * 1000
    const commands: Command[] = []
    const starts: number[] = []
    trials.forEach(({ job, leftover }, i) => {
      const keys = at(this.#slots, i)
      commands.push(...restoreCommands(job, leftover, keys, nowMs))
      starts.push(commands.length)
      commands.push(this.#call(job, keys), ...readCommands(keys))
    })
    this.#published.clear()
    const arrived = new Promise<void>((resolve) => {
      this.#onMarker = resolve
    })
    const results = await this.#redis.pipeline([...commands, ['publish', marker, '']]).exec()
    await arrived
    const replies = (results ?? []).map(([error, reply]) => {
      if (error) throw error
      return reply
    })
    return trials.map(({ job }, i) => {
      const start = at(starts, i)
      const published = this.#published.get(at(this.#slots, i).lock) ?? []
      return {
        reply: readReply(job.step, replies[start]),
        notices: published.map(readSentNotice),
        ...readBack(replies.slice(start + 1), job.store.counts.length, nowMs),
      }
    })
  }

  #call(job: Job, { lock, queue, waiters, fence }: LockKeys): Command {
    const { name, args } = scriptOf(job)
    const keys = [lock, queue, waiters, fence].slice(0, keyCounts[name])
    return ['evalsha', this.#shas.get(name) ?? '', keys.length, ...keys, ...args]
  }

  #note(message: string): void {
    const lock = message.slice(message.lastIndexOf(' ') + 1)
    const published = this.#published.get(lock)
    if (published) published.push(message)
    else this.#published.set(lock, [message])
  }
}
