import { Redis } from 'ioredis'
import type { LockKeys } from '../../src/redis/keys.js'
import { scripts } from '../../src/redis/scripts/generated.js'
import { inboxName, keyOfJob, ownerNumber, scriptOf, type Job, type Outcome } from './job.js'
import { judge, type After } from './judge.js'
import { plainKeySpace } from '../support/key-space.js'
import { restoreCommands, type Command } from './restore.js'
import { at, storeState, type Entry, type StoreState } from './state.js'

const used = ['acquire', 'release', 'refresh', 'force'] as const

/** The scripts as they are, or with parts of their text replaced. */
export type Lua = Readonly<Record<(typeof used)[number], string>>

export const realLua: Lua = {
  acquire: scripts.lockAcquire.lua,
  release: scripts.lockRelease.lua,
  refresh: scripts.lockRefresh.lua,
  force: scripts.lockForce.lua,
}

const marker = 'holdfast:model:end-of-batch'
const batchSize = 250

/**
 * Runs jobs on a real server: puts the state that a job starts from into keys of its own, runs the script on them, and
 * reads the state back. Remembers every outcome.
 */
export class ScriptRunner {
  readonly #redis: Redis
  readonly #inboxes: Redis
  readonly #shas = new Map<keyof Lua, string>()
  readonly #known = new Map<string, Outcome>()
  readonly #states = new Map<string, StoreState>()
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
    for (const name of used) {
      runner.#shas.set(name, String(await runner.#redis.script('LOAD', lua[name])))
    }
    return runner
  }

  /** How many runs there were. */
  get runs(): number {
    return this.#known.size
  }

  /** The outcome of a job that was run before. */
  find(job: Job): Outcome | undefined {
    return this.#known.get(keyOfJob(job))
  }

  async run(jobs: readonly Job[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += batchSize) {
      await this.#runBatch(jobs.slice(from, from + batchSize))
    }
  }

  async close(): Promise<void> {
    const keys = this.#slots.flatMap(({ lock, queue, waiters, fence }) => [lock, queue, waiters, fence])
    await this.#redis.del(...keys)
    this.#redis.disconnect()
    this.#inboxes.disconnect()
  }

  async #runBatch(jobs: readonly Job[]): Promise<void> {
    const [seconds] = await this.#redis.time()
    const nowMs = Number(seconds) * 1000
    const commands: Command[] = []
    const ends: number[] = []
    jobs.forEach((job, i) => {
      const keys = at(this.#slots, i)
      commands.push(...restoreCommands(job, keys, nowMs), this.#call(job, keys), ...readCommands(keys))
      ends.push(commands.length)
    })
    this.#published.clear()
    const arrived = new Promise<void>((resolve) => {
      this.#onMarker = resolve
    })
    const results = await this.#redis.pipeline([...commands, ['publish', marker, '']]).exec()
    await arrived
    jobs.forEach((job, i) => {
      const end = at(ends, i)
      const replies = (results ?? []).slice(end - readCount - 1, end).map(([error, reply]) => {
        if (error) throw error
        return reply
      })
      const published = this.#published.get(at(this.#slots, i).lock) ?? []
      const after = this.#after(replies, job.store.counts.length, nowMs)
      const outcome = judge(job, after, published)
      this.#known.set(keyOfJob(job), outcome)
    })
  }

  #call(job: Job, { lock, queue, waiters, fence }: LockKeys): Command {
    const { name, args } = scriptOf(job)
    const keys = name === 'refresh' ? [lock, queue, waiters] : [lock, queue, waiters, fence]
    return ['evalsha', this.#shas.get(name) ?? '', keys.length, ...keys, ...args]
  }

  #after(replies: readonly unknown[], owners: number, nowMs: number): After {
    const [reply, hold, lockTtlMs, queue, queueTtlMs, waiters, waitersTtlMs, fence, fenceTtlMs] = replies
    const counts = Array<number>(owners).fill(0)
    for (const [owner, count] of pairsOf(hold)) counts[ownerNumber(owner)] = Number(count)
    const entries = Array<Entry>(owners).fill('-')
    const aliveMs = Array<number>(owners).fill(-1)
    for (const [owner, text] of pairsOf(waiters)) {
      const [, tombstone, untilMs] = /^(gone )?(\d+)/.exec(text) ?? []
      const isAhead = Number(untilMs) > nowMs
      entries[ownerNumber(owner)] = tombstone ? (isAhead ? 'tombstone' : 'past') : isAhead ? 'live' : 'stale'
      if (isAhead) aliveMs[ownerNumber(owner)] = Number(untilMs) - nowMs
    }
    const order = textsOf(queue).map(ownerNumber)
    const state = storeState(counts, order, entries, fence !== null)
    const known = this.#states.get(state.key) ?? state
    this.#states.set(state.key, known)
    return {
      store: known,
      reply,
      aliveMs,
      token: Number(fence ?? 0),
      ttlMs: {
        lock: Number(lockTtlMs),
        queue: Number(queueTtlMs),
        waiters: Number(waitersTtlMs),
        fence: Number(fenceTtlMs),
      },
    }
  }

  #note(message: string): void {
    const lock = message.slice(message.lastIndexOf(' ') + 1)
    const published = this.#published.get(lock)
    if (published) published.push(message)
    else this.#published.set(lock, [message])
  }
}

const readCount = 8

const readCommands = ({ lock, queue, waiters, fence }: LockKeys): Command[] => [
  ['hgetall', lock],
  ['pttl', lock],
  ['zrange', queue, 0, -1],
  ['pttl', queue],
  ['hgetall', waiters],
  ['pttl', waiters],
  ['get', fence],
  ['pttl', fence],
]

const textsOf = (reply: unknown): string[] => (Array.isArray(reply) ? reply.map(String) : [])

const pairsOf = (reply: unknown): [string, string][] =>
  typeof reply === 'object' && reply !== null
    ? Object.entries(reply).map(([field, value]): [string, string] => [field, String(value)])
    : []
