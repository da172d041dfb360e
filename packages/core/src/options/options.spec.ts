import { inspect } from 'node:util'
import { InvalidArgumentError } from '../errors/errors.js'
import {
  requireLeaseMs,
  resolveDrainMs,
  resolveRequest,
  resolveSettings,
  type AcquireOptions,
  type ClientOptions,
} from './options.js'
import { redisEngine, resolveRedisSettings } from '../redis/engine.js'

const redis = 'redis://127.0.0.1:1'
const engine = redisEngine({ redis })
const bounds = { engine: 'redis', shortestLeaseMs: 100 }
const longestMs = 2 ** 31 - 1

/** What a caller without types may hand over. */
const settingsOf = (options: object): unknown => [
  Reflect.apply(resolveRedisSettings, undefined, [{ redis, ...options }]),
  Reflect.apply(resolveSettings, undefined, [options, engine]),
]
const drainMsOf = (options: unknown): unknown => Reflect.apply(resolveDrainMs, undefined, [options])
const requestOf = (options: unknown): unknown =>
  Reflect.apply(resolveRequest, undefined, [options, { ...bounds, defaults: {} }])

describe('defaults', () => {
  it('of a client', () =>
    expect(resolveSettings({}, engine)).toEqual({
      ...bounds,
      label: '',
      watchdogTimeoutMs: 30_000,
      renewEveryMs: 10_000,
      commandTimeoutMs: 5_000,
      maxWaiters: Infinity,
      marginMs: 2,
      keeps: true,
      handsOver: true,
      evicts: false,
      hasTokens: true,
      defaults: { waitMs: undefined, leaseMs: undefined, maxHoldMs: undefined, signal: undefined },
    }))

  it('of the Redis engine', () =>
    expect(resolveRedisSettings({ redis })).toEqual({
      prefix: 'lock:',
      minReplicas: 0,
      replicaTimeoutMs: 1_000,
    }))

  it('of an acquisition: wait without limit, watchdog, no limit on renewal', () =>
    expect(resolveRequest({}, { ...bounds, defaults: {} })).toEqual({
      waitMs: Infinity,
      leaseMs: null,
      maxHoldMs: Infinity,
      signal: undefined,
      isStandby: false,
    }))

  it('of an acquisition are those of the client, unless the call says otherwise', () => {
    const { signal } = new AbortController()
    const given: AcquireOptions = { waitMs: 1, leaseMs: 200, maxHoldMs: 300, signal }
    const settings = resolveSettings(given, engine)
    expect(resolveRequest({}, settings)).toEqual({ ...given, isStandby: false })
    expect(resolveRequest({ waitMs: 0, leaseMs: 100 }, settings)).toEqual({
      ...given,
      waitMs: 0,
      leaseMs: 100,
      isStandby: false,
    })
  })

  it('of the client are undone by a call: null for no fixed lease and no signal, Infinity for no limit', () => {
    const { signal } = new AbortController()
    const settings = resolveSettings({ waitMs: 1, leaseMs: 200, maxHoldMs: 300, signal }, engine)
    const undone = { waitMs: Infinity, leaseMs: null, maxHoldMs: Infinity, signal: null }
    expect(resolveRequest(undone, settings)).toEqual({ ...undone, signal: undefined, isStandby: true })
    expect(resolveRequest({ waitMs: Infinity }, settings, 0).waitMs).toBe(Infinity)
    expect(resolveRequest({}, resolveSettings(undone, engine))).toEqual({
      ...undone,
      signal: undefined,
      isStandby: false,
    })
  })

  it('take the place of an option that is there but undefined', () => {
    const options: ClientOptions = { label: undefined, maxWaiters: undefined }
    expect(resolveSettings(options, engine)).toEqual(resolveSettings({}, engine))
    expect(resolveRedisSettings({ redis, prefix: undefined })).toEqual(resolveRedisSettings({ redis }))
  })
})

/** The whole numbers that each option takes; beyond them and everything else is refused. */
const leastOf = {
  waitMs: 0,
  leaseMs: 100,
  maxHoldMs: 100,
  watchdogTimeoutMs: 100,
  commandTimeoutMs: 1,
  minReplicas: 0,
  replicaTimeoutMs: 1,
  maxWaiters: 0,
}
/** What an acquisition takes besides, to undo the client's default. */
const perCall = new Map<string, unknown>([
  ['waitMs', Infinity],
  ['leaseMs', null],
  ['maxHoldMs', Infinity],
])

describe.each(Object.entries(leastOf))('%s', (option, least) => {
  const undoes = perCall.get(option)
  const alsoTaken = perCall.has(option) ? ` or ${inspect(undoes)}` : ''
  const bad = [
    least - 1,
    longestMs + 1,
    least + 0.5,
    NaN,
    Infinity,
    -Infinity,
    '500',
    500n,
    null,
    true,
    {},
  ].filter((value) => value !== undoes)

  it(`takes ${least} and ${longestMs}`, () => {
    expect(() => settingsOf({ [option]: least })).not.toThrow()
    expect(() => settingsOf({ [option]: longestMs })).not.toThrow()
  })

  it.each(bad)('as %p is refused, with its name, the value and the bounds', (value) => {
    const message = `${option} must be an integer from ${least} to ${longestMs}${alsoTaken}, got ${inspect(value)}`
    const refused = new InvalidArgumentError(message)
    expect(() => settingsOf({ [option]: value })).toThrow(refused)
    if (perCall.has(option)) expect(() => requestOf({ [option]: value })).toThrow(refused)
  })
})

describe('an option that does not exist', () => {
  const valid = 'valid options: waitMs, leaseMs, maxHoldMs, signal, reentrant'

  it.each([
    [{ wait: 5 }, `unknown option 'wait' (did you mean waitMs?); ${valid}`],
    [{ waitMs: 5, ttl: 5 }, `unknown option 'ttl'; ${valid}`],
    [{ watchdogTimeoutMs: 500 }, `unknown option 'watchdogTimeoutMs'; ${valid}`],
    [{ lease: undefined }, `unknown option 'lease' (did you mean leaseMs?); ${valid}`],
    [Object.create({ wait: 5 }), `unknown option 'wait' (did you mean waitMs?); ${valid}`],
  ])('is refused in a call, with the nearest and the valid ones: %p', (options, message) =>
    expect(() => requestOf(options)).toThrow(new InvalidArgumentError(message)),
  )

  it('is refused in a close', () => {
    const message = "unknown option 'drain' (did you mean drainMs?); valid options: drainMs"
    expect(() => drainMsOf({ drain: 5 })).toThrow(new InvalidArgumentError(message))
  })

  it('is not looked for when a call has no options', () =>
    expect(requestOf(undefined)).toEqual(requestOf({})))
})

describe('other options', () => {
  it.each(['aborted', {}, new AbortController()])('the signal %p is refused', (signal) => {
    expect(() => requestOf({ signal })).toThrow(/signal must be an AbortSignal or null, got/)
    expect(() => settingsOf({ signal })).toThrow(/signal must be an AbortSignal or null, got/)
  })

  it.each([7, null, {}, true])('%p is refused as a prefix and as a label', (value) => {
    expect(() => settingsOf({ prefix: value })).toThrow(`prefix must be a string, got ${inspect(value)}`)
    expect(() => settingsOf({ label: value })).toThrow(`label must be a string, got ${inspect(value)}`)
  })

  it.each([
    ['a secret', 'a string'],
    [null, 'null'],
    [true, 'a boolean'],
    [[], 'an array'],
  ])('%p is refused in place of the options, and not shown', (options, kind) => {
    const refused = (valid: string): Error =>
      new InvalidArgumentError(`options must be an object, got ${kind}; valid options: ${valid}`)
    expect(() => requestOf(options)).toThrow(refused('waitMs, leaseMs, maxHoldMs, signal, reentrant'))
    expect(() => drainMsOf(options)).toThrow(refused('drainMs'))
  })

  it.each([-1, 1.5, 2 ** 31, '5'])('%p is refused as a drain time', (drainMs) =>
    expect(() => drainMsOf({ drainMs })).toThrow(/drainMs must be an integer from 0 to 2147483647/),
  )

  it.each([99, undefined, NaN])('extending to %p ms is refused', (leaseMs) =>
    expect(() => requireLeaseMs(leaseMs, bounds)).toThrow(
      `leaseMs must be an integer from 100 to 2147483647, as in extend(30_000), got ${inspect(leaseMs)}`,
    ),
  )

  it.each([
    [100, 100, 'leases from 100 ms', '101 ms before their end'],
    [1, 99, 'leases from 100 ms', '100 ms before their end'],
    [1_000, 1_000, 'leases from 1000 ms', '1010 ms before their end'],
  ])(
    'an engine whose shortest lease of %d ms, with a margin of %d ms, could never be claimed is refused',
    (shortestMs, marginMs, leases, drift) => {
      const traits = { ...engine.traits, lease: { stepMs: 1, shortestMs, marginMs } }
      const construct = (): unknown => resolveSettings({}, { name: 'hasty', traits })
      expect(construct).toThrow(InvalidArgumentError)
      for (const part of ['the engine hasty', leases, drift]) expect(construct).toThrow(part)
    },
  )

  it('an engine whose shortest lease outlasts its margin by a little is accepted', () => {
    const traits = { ...engine.traits, lease: { stepMs: 1, shortestMs: 102, marginMs: 100 } }
    expect(resolveSettings({}, { name: 'brief', traits }).marginMs).toBe(100)
  })

  it('a lease shorter than the engine keeps is refused, naming the engine', () => {
    const traits = { ...engine.traits, lease: { stepMs: 1_000, shortestMs: 2_000, marginMs: 1_000 } }
    const slow = resolveSettings({}, { name: 'slow', traits })
    const message =
      'leaseMs must be an integer from 2000 to 2147483647 or null (the engine slow does not support shorter leases), got 1500'
    expect(() => resolveRequest({ leaseMs: 1_500 }, slow)).toThrow(new InvalidArgumentError(message))
    expect(() => resolveSettings({ watchdogTimeoutMs: 1_500 }, { name: 'slow', traits })).toThrow(
      /watchdogTimeoutMs must be an integer from 2000/,
    )
  })
})
