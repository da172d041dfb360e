import type { EngineHost, EngineSession, LockEngine } from '../engine/session.js'
import type { Traits } from '../engine/traits.js'
import { openConnections } from './connection/connections.js'
import type { Connections } from './connection/connections.js'
import { engineName } from './errors.js'
import { nativeLayout } from './keys.js'
import { nativeLatchCalls } from './kinds/latch.js'
import { NativeCalls } from './kinds/lock.js'
import { SharedCalls } from './kinds/shared.js'
import { resolveRedisSettings } from './options.js'
import type { RedisOptions, RedisSettings } from './options.js'
import { redissonTraits, openRedisson } from './redisson/engine.js'
import { RedisSession } from './session.js'

/** Of locks, shared with Redisson or not. */
const lockTraits: Traits = {
  fifo: true,
  handOff: 'grant',
  // Redis expires a key in the millisecond after its TTL, by a clock that it reads once per command.
  lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsAreCounted: true,
}

const nativeTraits: Traits = { ...lockTraits, kinds: ['shared', 'latch'], operator: true }

/**
 * Locks on Redis or Valkey: stand-alone, Sentinel or Cluster.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisEngine(options: RedisOptions): LockEngine {
  const settings = resolveRedisSettings(options)
  const isShared = settings.interop === 'redisson'
  return {
    name: engineName,
    traits: traitsOf(settings, isShared ? redissonTraits(lockTraits) : nativeTraits),
    open(host: EngineHost): EngineSession {
      const connections = connect(options, host)
      const shared = { connections, replicas: replicasOf(options, settings, host) }
      return isShared ? openRedisson(host, shared) : openNative(host, settings, shared)
    },
  }
}

function traitsOf({ minReplicas, replicaTimeoutMs: withinMs }: RedisSettings, traits: Traits): Traits {
  if (minReplicas === 0) return traits
  return { ...traits, lease: { ...traits.lease, confirmation: { withinMs, option: 'replicaTimeoutMs' } } }
}

type SharedOptions = Pick<ConstructorParameters<typeof RedisSession>[1], 'connections' | 'replicas'>

function openNative(host: EngineHost, { prefix }: RedisSettings, shared: SharedOptions): RedisSession {
  const inboxesCanBeCounted = shared.connections.cluster === null
  const calls = { lock: new NativeCalls(inboxesCanBeCounted), shared: new SharedCalls(inboxesCanBeCounted) }
  return new RedisSession(host, {
    ...shared,
    prefix,
    layout: nativeLayout,
    calls,
    latchCalls: nativeLatchCalls,
    canList: true,
  })
}

function connect({ redis }: RedisOptions, host: EngineHost, more?: Record<string, unknown>): Connections {
  return openConnections(redis, host.clientId, Math.min(host.commandTimeoutMs, 10_000), more)
}

function replicasOf(
  options: RedisOptions,
  { minReplicas: wanted, replicaTimeoutMs: timeoutMs }: RedisSettings,
  host: EngineHost,
): SharedOptions['replicas'] {
  if (wanted === 0) return null
  // A WAIT gets no reply for as long as replicas are behind.
  return { connections: connect(options, host, { socketTimeout: undefined }), wanted, timeoutMs }
}
