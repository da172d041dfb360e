import { Redis } from 'ioredis'
import type { ObjectType } from '../../../src/engine/requests.js'
import type { Keys } from '../../../src/redis/keys.js'
import { plainKeySpace } from '../../support/key-space.js'
import type { Job, Outcome } from '../job.js'
import type { After, StepReply } from '../judge.js'
import type { Promised } from '../problem.js'
import { at } from '../state.js'
import { Outcomes, type StepRunner } from '../step-runner.js'
import { inboxName, readSentNotices } from './calls.js'
import type { Command } from './restore.js'

/** Scripts as they are, or with parts of their text replaced. */
export type Lua<Name extends string> = ReadonlyMap<Name, string>

/** A way of running a job whose outcome must be the same. */
export interface WireVariant<Leftover> {
  /** What the store still has that has expired. */
  readonly leftover: Leftover
  readonly promise: Promised
  readonly isRepeated?: boolean
  readonly allows?: (job: Job, expected: Outcome, outcome: Outcome) => boolean
}

/** What a step let others see. */
export type Seen = Pick<After, 'reply' | 'notices'>

/** How one kind of object is stored, and what its scripts are called with. */
export interface Wire<Name extends string, A extends After, Leftover> {
  readonly object: ObjectType
  readonly plain: Leftover
  readonly variants: readonly WireVariant<Leftover>[]
  keyList(keys: Keys): readonly string[]
  callOf(
    job: Job,
    keys: Keys,
  ): { readonly name: Name; readonly keys: readonly string[]; readonly args: readonly (string | number)[] }
  restoreCommands(job: Job, leftover: Leftover, keys: Keys, nowMs: number): readonly Command[]
  readCommands(keys: Keys): readonly Command[]
  readReply(step: Job['step'], reply: unknown): StepReply
  readBack(replies: readonly unknown[], seen: Seen, owners: number, nowMs: number): A
  judge(job: Job, after: A): Outcome
}

const marker = 'holdfast:model:end-of-batch'
const batchSize = 250

/** A job, and how it is run. */
interface Trial<Leftover> {
  readonly job: Job
  readonly leftover: Leftover
  readonly isRepeated: boolean
}

/**
 * Runs jobs on a real server: puts the state that a job starts from into keys of its own, runs the script on them, and
 * reads the state back.
 */
export class ScriptRunner<Name extends string, A extends After, Leftover> implements StepRunner {
  readonly #wire: Wire<Name, A, Leftover>
  readonly #redis: Redis
  readonly #inboxes: Redis
  readonly #shas = new Map<Name, string>()
  readonly #outcomes: Outcomes<A>
  /** By main key: what was published about the object. */
  readonly #published = new Map<string, string[]>()
  readonly #slots: readonly Keys[]
  #onMarker: () => void = () => undefined

  private constructor(url: string, wire: Wire<Name, A, Leftover>) {
    this.#wire = wire
    this.#outcomes = new Outcomes((job, after) => wire.judge(job, after))
    this.#redis = new Redis(url, { lazyConnect: true })
    this.#inboxes = new Redis(url, { lazyConnect: true })
    this.#slots = Array.from({ length: batchSize }, (_, i) => plainKeySpace.keysOf(`model-${i}`, wire.object))
    this.#inboxes.on('message', (channel: string, message: string) => {
      if (channel === marker) this.#onMarker()
      else this.#note(message)
    })
  }

  static async open<Name extends string, A extends After, Leftover>(
    url: string,
    owners: number,
    wire: Wire<Name, A, Leftover>,
    lua: Lua<Name>,
  ): Promise<ScriptRunner<Name, A, Leftover>> {
    const runner = new ScriptRunner(url, wire)
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
    const { plain, variants } = this.#wire
    const ways = [{ leftover: plain, isRepeated: false }, ...variants]
    const trials = jobs.flatMap((job) =>
      ways.map(({ leftover, isRepeated = false }) => ({ job, leftover, isRepeated })),
    )
    const afters: A[] = []
    for (let from = 0; from < trials.length; from += batchSize) {
      afters.push(...(await this.#runBatch(trials.slice(from, from + batchSize))))
    }
    jobs.forEach((job, i) => {
      const from = i * ways.length
      const others = variants.map(({ promise, allows }, nth) => ({
        after: at(afters, from + 1 + nth),
        promise,
        allows: (expected: Outcome, outcome: Outcome) => allows?.(job, expected, outcome) ?? false,
      }))
      this.#outcomes.add(job, at(afters, from), others)
    })
  }

  async close(): Promise<void> {
    await this.#redis.del(...this.#slots.flatMap((keys) => this.#wire.keyList(keys)))
    this.#redis.disconnect()
    this.#inboxes.disconnect()
  }

  async #runBatch(trials: readonly Trial<Leftover>[]): Promise<A[]> {
    const wire = this.#wire
    const [seconds] = await this.#redis.time()
    const nowMs = Number(seconds) * 1000
    const commands: Command[] = []
    const starts: number[] = []
    trials.forEach(({ job, leftover, isRepeated }, i) => {
      const keys = at(this.#slots, i)
      commands.push(...wire.restoreCommands(job, leftover, keys, nowMs))
      if (isRepeated) commands.push(this.#call(job, keys))
      starts.push(commands.length)
      commands.push(this.#call(job, keys), ...wire.readCommands(keys))
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
      const published = this.#published.get(at(this.#slots, i).main) ?? []
      const seen = {
        reply: wire.readReply(job.step, replies[start]),
        notices: published.flatMap(readSentNotices),
      }
      return wire.readBack(replies.slice(start + 1), seen, job.store.counts.length, nowMs)
    })
  }

  #call(job: Job, keys: Keys): Command {
    const { name, keys: declared, args } = this.#wire.callOf(job, keys)
    return ['evalsha', this.#shas.get(name) ?? '', declared.length, ...declared, ...args]
  }

  #note(message: string): void {
    const main = message.slice(message.lastIndexOf(' ') + 1)
    const published = this.#published.get(main)
    if (published) published.push(message)
    else this.#published.set(main, [message])
  }
}
