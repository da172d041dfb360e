import { uniqueName } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { TokenRanks, type Observation } from './observation.js'

export type Command = [name: string, ...args: (string | number)[]]

/** How steps on one kind of object are sent and read. */
export interface RedisSubject<Step> {
  keysOf(name: string): readonly string[]
  /** @param deaf - the owners whose clients are not subscribed; kept up to date here */
  callOf(step: Step, keys: readonly string[], deaf: Set<string>): Command
  /** Reads all there is of the object at one instant. */
  readonly readLua: string
  observe(
    step: Step,
    given: {
      readonly reply: unknown
      readonly messages: readonly string[]
      readonly state: unknown
      /** What `readLua` read after the step before. */
      readonly before: unknown
    },
    tokens: TokenRanks,
  ): Observation
}

/** Test files that run at the same time share a server, and with it all channels. */
const channelPrefix = uniqueName('holdfast:compare')

const marker = `${channelPrefix}:marker`

/** An owner's inbox, which is subscribed to, or the channel that stands for it while its client is not subscribed. */
export const inboxOf = (owner: string, isDeaf: boolean): string =>
  `${channelPrefix}:${isDeaf ? 'deaf' : 'inbox'}:${owner}`

export const evalOf = (lua: string, keys: readonly string[], args: readonly (string | number)[]): Command => [
  'eval',
  lua,
  keys.length,
  ...keys,
  ...args,
]

export const asList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [])

export const pairsOf = (list: readonly string[]): Map<string, string> =>
  new Map(list.flatMap((field, i) => (i % 2 === 0 ? [[field, list[i + 1] ?? ''] as const] : [])))

/** Runs sequences of steps with the real scripts on a real server, each on an object of its own. */
export class RedisSequences<Step> {
  readonly #redis: Redis
  readonly #inboxes: Redis
  readonly #subject: RedisSubject<Step>
  #messages: string[][] = [[]]
  #onLastMarker: (() => void) | undefined

  private constructor(url: string, subject: RedisSubject<Step>) {
    this.#redis = new Redis(url)
    this.#inboxes = new Redis(url)
    this.#subject = subject
    this.#inboxes.on('message', (channel: string, message: string) => {
      if (channel !== marker) this.#messages.at(-1)?.push(message)
      else if (message === 'last') this.#onLastMarker?.()
      else this.#messages.push([])
    })
  }

  static async open<Step>(
    url: string,
    owners: readonly string[],
    subject: RedisSubject<Step>,
  ): Promise<RedisSequences<Step>> {
    const sequences = new RedisSequences(url, subject)
    await sequences.#inboxes.subscribe(marker, ...owners.map((owner) => inboxOf(owner, false)))
    return sequences
  }

  close(): void {
    this.#redis.disconnect()
    this.#inboxes.disconnect()
  }

  /** Runs all steps in one go and says what each showed. */
  async run(name: string, steps: readonly Step[]): Promise<readonly Observation[]> {
    const subject = this.#subject
    const keys = subject.keysOf(name)
    const deaf = new Set<string>()
    const commands = steps.flatMap((step): Command[] => [
      subject.callOf(step, keys, deaf),
      evalOf(subject.readLua, keys, []),
      ['publish', marker, 'next'],
    ])
    this.#messages = [[]]
    const arrived = new Promise<void>((resolve) => {
      this.#onLastMarker = resolve
    })
    const results = await this.#redis
      .pipeline([...commands, ['del', ...keys], ['publish', marker, 'last']])
      .exec()
    await arrived
    const replies = (results ?? []).map(([error, reply]) => {
      if (error) throw error
      return reply
    })
    const tokens = new TokenRanks()
    return steps.map((step, i) => {
      const [before, reply, state] = [replies[3 * i - 2], replies[3 * i], replies[3 * i + 1]]
      return subject.observe(step, { reply, messages: this.#messages[i] ?? [], state, before }, tokens)
    })
  }
}
