import { Redis } from 'ioredis'
import { scripts } from '../../../core/src/redis/scripts/generated.js'
import { passLua } from '../compare/redis-lock.js'
import { evalOf, type Command } from '../compare/redis-sequences.js'
import {
  deafOwner,
  lockNames,
  manyReply,
  singleLeaseMs,
  type Observation,
  type Step,
} from './memory-locks.js'

/** Who holds a lock, and who is in its queue. */
const readLua = `return { redis.call('HKEYS', KEYS[1])[1] or '', redis.call('LRANGE', KEYS[2], 0, -1) }`

/** Runs sequences of steps with the real scripts on a real server, each on locks of its own. */
export class LocksOnRedis {
  readonly #redis: Redis

  constructor(url: string) {
    this.#redis = new Redis(url)
  }

  close(): void {
    this.#redis.disconnect()
  }

  async run(name: string, steps: readonly Step[]): Promise<readonly Observation[]> {
    const keysOf = (lock: string): string[] =>
      ['lock', 'queue', 'waiters', 'fence'].map((each) => `holdfast:${name}:${lock}:${each}`)
    const calls = steps.map((step) => callsOf(step, keysOf))
    const looks = lockNames.map((lock) => evalOf(readLua, keysOf(lock).slice(0, 2), []))
    const commands = calls.flatMap((ofStep) => [...ofStep, ...looks])
    const results = await this.#redis.pipeline([...commands, ['del', ...lockNames.flatMap(keysOf)]]).exec()
    const replies = (results ?? []).map(([error, reply]) => {
      if (error) throw error
      return reply
    })
    let at = 0
    return steps.map((step, i) => {
      const reply = readReply(step, replies[at])
      at += calls[i]?.length ?? 0
      const looked = replies.slice(at, at + looks.length).map(asList)
      at += looks.length
      return {
        reply,
        holders: looked.map(([holder]) => String(holder)),
        queues: looked.map(([, queue]) => asList(queue).join(' ')),
      }
    })
  }
}

function callsOf(step: Step, keysOf: (lock: string) => string[]): Command[] {
  switch (step.kind) {
    case 'acquireMany': {
      const { locks, mode, leaseMs } = step
      const args = [mode, leaseMs, ...locks.flatMap(({ owner }) => [owner, 0])]
      return [
        evalOf(
          scripts.multiAcquire.lua,
          locks.flatMap(({ lock }) => keysOf(lock)),
          args,
        ),
      ]
    }
    case 'acquire': {
      // No inbox has a subscriber here; it is checked only for the one that is to be passed over.
      const entry = step.owner === deafOwner ? '1 p holdfast:deaf' : '0 p holdfast:nobody'
      const waiting = step.entryTtlMs > 0 ? `${step.entryTtlMs} ${singleLeaseMs} ${entry}` : ''
      const args = [step.owner, singleLeaseMs, 0, waiting]
      return [evalOf(scripts.lockAcquire.lua, keysOf(step.lock), args)]
    }
    case 'release': {
      const tombstone = step.tombstoneMs > 0 ? [step.tombstoneMs] : []
      return [evalOf(scripts.lockRelease.lua, keysOf(step.lock), [step.owner, 0, ...tombstone])]
    }
    case 'expire':
      return [['del', ...keysOf(step.lock).slice(0, 1)]]
    case 'pass':
      return lockNames.map((lock) => evalOf(passLua, keysOf(lock), [step.ms]))
  }
}

function readReply(step: Step, given: unknown): string {
  const list = asList(given)
  switch (step.kind) {
    case 'acquireMany': {
      if (list[0] === -2) return 'abandoned'
      const [n, , , , holder] = textOf(list[0]).split(' ')
      return holder === undefined
        ? manyReply(list.length, undefined)
        : manyReply(list.length - 1, Number(n) - 1, holder)
    }
    case 'acquire':
      if (list[0] === -2) return 'abandoned'
      return String(given).includes(' ') ? 'busy' : 'held'
    case 'release':
      return (list[0] ?? given) === 1 ? 'released' : 'not-held'
    case 'expire':
    case 'pass':
      return ''
  }
}

const asList = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [])

const textOf = (given: unknown): string => (typeof given === 'string' ? given : '')
