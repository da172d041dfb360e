import type { QueueEntryReply } from '@holdfast/core/engine'

/** What a step replied, whom it notified, and what it left, in words that both stores can be put into. */
export interface Observation {
  readonly reply: readonly (string | number)[]
  /** The reply may say less than that of the other store. */
  readonly repliesInPart?: boolean
  readonly notices: readonly string[]
  readonly hold: string
  readonly queue: readonly string[]
  readonly tombstones: readonly string[]
  readonly token: number
  /** Milliseconds from the step on: of what has no time to live here, none is listed. */
  readonly ttlMs: Readonly<Record<string, number>>
}

/** A refresh as a reply in an observation. */
export const describeRefresh = ({ state, holder, position }: QueueEntryReply): (string | number)[] =>
  holder === undefined ? [state] : [state, holder, position ?? 0]

/** How far apart two times to live may be: what the server's own clock may move on during a sequence. */
const toleranceMs = 10_000

/** Where two observations differ, or nothing. */
export function differenceBetween(redis: Observation, memory: Observation): string | undefined {
  const { ttlMs: redisTtls, repliesInPart, ...redisRest } = redis
  const { ttlMs: memoryTtls, ...memoryWhole } = memory
  const reply = repliesInPart ? memory.reply.slice(0, redis.reply.length) : memory.reply
  const memoryRest = { ...memoryWhole, reply }
  const [left, right] = [JSON.stringify(redisRest), JSON.stringify(memoryRest)]
  if (left !== right) return `\n  Redis  ${left}\n  memory ${right}`
  for (const name of new Set([...Object.keys(redisTtls), ...Object.keys(memoryTtls)])) {
    const [onRedis, inMemory] = [redisTtls[name], memoryTtls[name]]
    if (onRedis === undefined || inMemory === undefined || Math.abs(onRedis - inMemory) > toleranceMs) {
      return `\n  time to live of ${name}: ${String(onRedis)} ms on Redis, ${String(inMemory)} ms in memory`
    }
  }
  return undefined
}

/** Tokens from here on come from no clock, but from what a client says that it has seen: less than a day ahead of the clock. */
export const firstExactToken = (Math.floor(Date.now() / 3_600_000) + 20) * 3_600_000_000

/**
 * Tokens come from a clock and differ. What must be the same is which of them are equal and that new ones are larger, so each
 * is replaced by its rank. Those that come from no clock are to be the same number; 0 stands for none.
 */
export class TokenRanks {
  readonly #fromClock: number[] = []

  rankOf(token: number): number {
    if (token === 0 || token >= firstExactToken) return token
    const known = this.#fromClock.indexOf(token)
    if (known >= 0) return known + 1
    const last = this.#fromClock.at(-1) ?? 0
    if (token <= last) throw new Error(`the token ${token} came after ${last}`)
    return this.#fromClock.push(token)
  }
}

/** The steps as far as the one that made the difference. */
export const story = <Step>(steps: readonly Step[], last: number, describe: (step: Step) => string): string =>
  steps
    .slice(0, last + 1)
    .map((step, i) => `${String(i + 1).padStart(3)}  ${describe(step)}`)
    .join('\n')
