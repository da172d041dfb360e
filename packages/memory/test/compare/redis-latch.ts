import { uniqueName } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { scripts } from '../../../core/src/redis/scripts/generated.js'
import { clientIds, SeenNumbers, type LatchObservation, type LatchStep } from './latch-step.js'

/** Test files that run at the same time share a server, and with it all channels. */
const channelPrefix = uniqueName('holdfast:compare-latch')

const marker = `${channelPrefix}:marker`
const inboxOf = (clientId: string): string => `${channelPrefix}:inbox:${clientId}`

/** Makes the keys older by ARGV[1] ms, so that no time need pass. A clock that goes on by itself goes on too. */
const passLua = `
  local ms = tonumber(ARGV[1])
  for _, key in ipairs(KEYS) do
    local ttlMs = redis.call('PTTL', key)
    if ttlMs >= 0 then
      if ttlMs <= ms then redis.call('DEL', key) else redis.call('PEXPIRE', key, ttlMs - ms) end
    end
  end
  local waiters = redis.call('ZRANGE', KEYS[3], 0, -1)
  for _, inbox in ipairs(waiters) do redis.call('ZINCRBY', KEYS[3], -ms, inbox) end
  return {}`

type Words = readonly (string | number)[]

/** Runs sequences of steps with the real scripts on a real server, each on a latch of its own. */
export class RedisLatch {
  readonly #redis: Redis
  readonly #inboxes: Redis
  #messages: (readonly [channel: string, message: string])[][] = [[]]
  #onLastMarker: (() => void) | undefined

  private constructor(url: string) {
    this.#redis = new Redis(url)
    this.#inboxes = new Redis(url)
    this.#inboxes.on('message', (channel: string, message: string) => {
      if (channel !== marker) this.#messages.at(-1)?.push([channel, message])
      else if (message === 'last') this.#onLastMarker?.()
      else this.#messages.push([])
    })
  }

  static async open(url: string): Promise<RedisLatch> {
    const latches = new RedisLatch(url)
    await latches.#inboxes.subscribe(marker, ...clientIds.map(inboxOf))
    return latches
  }

  close(): void {
    this.#redis.disconnect()
    this.#inboxes.disconnect()
  }

  async run(name: string, steps: readonly LatchStep[]): Promise<readonly LatchObservation[]> {
    const keys = ['latch', 'counted', 'waiters'].map((each) => `holdfast:compare-latch:${name}:${each}`)
    const seen = new SeenNumbers()
    this.#messages = [[]]
    const arrived = new Promise<void>((resolve) => {
      this.#onLastMarker = resolve
    })
    const observations: ReturnType<typeof observe>[] = []
    for (const step of steps) {
      // What a step names depends on what the one before it replied.
      const [reply, state] = await Promise.all([
        this.#call(step, keys, seen),
        this.#eval(scripts.latchInspect.lua, keys, [100]),
        this.#redis.publish(marker, 'next'),
      ])
      observations.push(observe(step, asList(reply), asList(state), seen))
    }
    await this.#redis.del(...keys)
    await this.#redis.publish(marker, 'last')
    await arrived
    return observations.map((observation, i) => {
      // A client whose time is over is notified as well, as long as Redis has its entry. That makes no difference to anyone.
      const alive = observations[i - 1]?.waiters.map(inboxOf) ?? []
      const heard = (this.#messages[i] ?? []).filter(([channel]) => alive.includes(channel))
      const notices = heard.map(([channel, message]) => noticeText(channel, message, seen))
      const { reply, left, ttlMs } = observation
      return { reply, left, ttlMs, notices: notices.sort() }
    })
  }

  #call(step: LatchStep, keys: readonly string[], seen: SeenNumbers): Promise<unknown> {
    switch (step.kind) {
      case 'set': {
        const { setter, count, keepMs, incarnation } = step
        const args = [seen.find(step.named), setter, count, keepMs, incarnation]
        return this.#eval(scripts.latchSet.lua, keys.slice(0, 2), args)
      }
      case 'count down':
        return this.#eval(scripts.latchCountDown.lua, keys, [seen.find(step.named), step.party])
      case 'delete':
        return this.#eval(scripts.latchDelete.lua, keys, [seen.find(step.named), step.tombstoneMs])
      case 'wait': {
        const generation = step.awaited ? seen.find(step.awaited.seen) : 0
        const isBound = step.awaited?.isBound === true && generation > 0 ? 1 : 0
        return this.#eval(scripts.latchWait.lua, keys, [
          generation,
          isBound,
          step.aliveMs,
          inboxOf(step.clientId),
        ])
      }
      case 'pass':
        return this.#eval(passLua, keys, [step.ms])
    }
  }

  #eval(lua: string, keys: readonly string[], args: Words): Promise<unknown> {
    return this.#redis.eval(lua, keys.length, ...keys, ...args)
  }
}

function observe(
  step: LatchStep,
  reply: readonly unknown[],
  shown: readonly unknown[],
  seen: SeenNumbers,
): Omit<LatchObservation, 'notices'> & { readonly waiters: readonly string[] } {
  const parties = asList(shown[10]).map(String).sort()
  const inboxes = asList(shown[11]).map(String)
  const waiters = inboxes.map((inbox) => inbox.slice(inboxOf('').length)).sort()
  return {
    reply: replyText(step, reply, seen),
    left: [stateText(shown, seen), Number(shown[7]), parties, waiters].join(' | '),
    ttlMs: Number(shown[8]),
    waiters,
  }
}

function replyText(step: LatchStep, reply: readonly unknown[], seen: SeenNumbers): string {
  if (step.kind === 'pass') return ''
  if (step.kind !== 'wait') return stateText(reply, seen)
  const [code, generation] = reply.map(Number)
  return code === -1 ? '-1' : `${String(code)} ${seen.nameOf(generation ?? 0)}`
}

function stateText(reply: readonly unknown[], seen: SeenNumbers): string {
  const [code, generation = 0, first = 0, opened = 0, left, previous = 0] = reply.slice(0, 6).map(Number)
  const names = [generation, first, opened, previous].map((number) => seen.nameOf(number))
  return `${code === 1 ? 'done' : 'other'} ${names.join(' ')} left ${String(left)}`
}

/** `open <generation> <key>` */
function noticeText(channel: string, message: string, seen: SeenNumbers): string {
  const [what = '', generation] = message.split(' ')
  return `${channel.slice(inboxOf('').length)}: ${what} ${seen.nameOf(Number(generation))}`
}

const asList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [])
