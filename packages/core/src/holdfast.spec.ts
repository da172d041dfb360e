import type { LockEngine, Traits } from './engine/index.js'
import { InvalidArgumentError } from './errors/errors.js'
import { Holdfast } from './holdfast.js'

const traits: Traits = {
  fifo: false,
  handOff: { pollMs: [10, 20] },
  lease: { stepMs: 1_000, shortestMs: 2_000, marginMs: 1_000 },
  fencing: 'none',
  survives: 'nothing',
  force: 'at renewal',
}

/** An engine that promises little. It is never asked to do anything here. */
const engine: LockEngine = {
  name: 'modest',
  traits,
  open: () => {
    throw new Error('no session is needed here')
  },
}

const refusalOf = (options: object): unknown => {
  try {
    return Reflect.construct(Holdfast, [options])
  } catch (error) {
    return error
  }
}

describe('with an engine', () => {
  it.each(['prefix', 'minReplicas', 'replicaTimeoutMs'])(
    'the option %s of the Redis engine is refused, not ignored',
    (option) => {
      const error = refusalOf({ engine, [option]: 1 })
      expect(error).toBeInstanceOf(InvalidArgumentError)
      expect(String(error)).toContain(
        `${option} is an option of new Holdfast({ redis }), not of one with an engine: leave it out;`,
      )
    },
  )

  it('the option redis is refused, since both name a store', () => {
    const message = 'got both redis and engine: give one of the two, redis or another engine'
    expect(refusalOf({ engine, redis: 'redis://127.0.0.1:1' })).toEqual(new InvalidArgumentError(message))
  })

  it('a watchdog time below the shortest lease of the engine is refused, naming it', () =>
    expect(String(refusalOf({ engine, watchdogTimeoutMs: 1_500 }))).toContain(
      'watchdogTimeoutMs must be an integer from 2000 to 2147483647 (the engine modest does not support shorter leases)',
    ))

  it.each([undefined, null, 'memory', {}, () => engine])('%p is refused as an engine', (given) => {
    const error = refusalOf({ engine: given })
    expect(error).toBeInstanceOf(InvalidArgumentError)
    expect(String(error)).toContain('engine must be a lock engine such as memory(), got')
  })
})

describe('an option that does not exist is refused, with the nearest and the valid ones', () => {
  const valid =
    'waitMs, leaseMs, maxHoldMs, signal, reentrant, label, watchdogTimeoutMs, commandTimeoutMs, maxWaiters'
  const redis = 'redis://127.0.0.1:1'

  it.each([
    [{ redis, watchdogTimeout: 5 }, "unknown option 'watchdogTimeout' (did you mean watchdogTimeoutMs?)"],
    [{ redis, minReplica: 1 }, "unknown option 'minReplica' (did you mean minReplicas?)"],
    [
      { redisUrl: redis },
      "unknown option 'redisUrl' (did you mean redis?); pass a URL or an ioredis instance as new Holdfast({ redis })",
    ],
    [{ redis, ttl: undefined }, "unknown option 'ttl'"],
    [{ redis, interop: true }, "unknown option 'interop'"],
  ])('on Redis: %p', (options, unknown) => {
    const message = `${unknown}; valid options: redis, credentials, prefix, minReplicas, replicaTimeoutMs, engine, ${valid}`
    expect(refusalOf(options)).toEqual(new InvalidArgumentError(message))
  })

  it('on another engine', () => {
    const message = `unknown option 'labels' (did you mean label?); valid options: engine, ${valid}`
    expect(refusalOf({ engine, labels: 'a' })).toEqual(new InvalidArgumentError(message))
  })
})

it.each([undefined, null, 'redis://localhost'])('%p is refused as the options of a client', (options) => {
  const error = ((): unknown => {
    try {
      return Reflect.construct(Holdfast, [options])
    } catch (thrown) {
      return thrown
    }
  })()
  expect(error).toBeInstanceOf(InvalidArgumentError)
  expect(String(error)).toContain('options must be an object')
})
