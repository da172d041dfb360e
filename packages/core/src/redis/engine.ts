import type { EngineHost } from '../engine/host.js'
import type { LockEngine, Traits } from '../engine/session.js'
import { latchSteps, multiSteps, sharedSteps } from './carried-steps.js'
import { nativeCalls, RedisCommands } from './commands.js'
import { askOf } from './connection/credentials.js'
import { openConnections, type Connections } from './connection/connections.js'
import { engineName } from './errors.js'
import { nativeLayout } from './keys.js'
import { operatorSteps } from './operator.js'
import { resolveRedisSettings, type RedisOptions, type RedisSettings } from './options.js'
import { lockScripts } from './scripts/generated.js'
import { RedisSession, type CarriedSteps, type RedisSessionOptions } from './session.js'

/**
 * Locks among Holdfast clients, and whatever else its sessions carry.
 *
 * @param carried - that they carry from the start
 */
export function nativeEngine(options: RedisOptions, carried: readonly CarriedSteps[] = []): LockEngine {
  const settings = resolveRedisSettings(options)
  const traits = traitsOf(settings, {
    kinds: ['shared', 'latch'],
    fifo: true,
    handOff: 'grant',
    operator: true,
  })
  return {
    name: engineName,
    traits: { ...traits, lease: { ...traits.lease, keeps: true, handsOver: true } },
    open(host): RedisSession {
      const reached = reach(options, settings, host)
      const calls = { lock: nativeCalls(reached.connections.cluster === null) }
      const session = new RedisSession(host, {
        ...reached,
        prefix: settings.prefix,
        layout: nativeLayout,
        openSteps: (common) => new RedisCommands({ ...common, calls }),
        scripts: Object.values(lockScripts),
      })
      for (const steps of carried) session.carry(steps)
      return session
    },
  }
}

/** Of locks on Redis, whoever shares them. */
const lockTraits = {
  // Redis expires a key in the millisecond after its TTL, by a clock that it reads once per command.
  lease: { stepMs: 1, shortestMs: 1, marginMs: 2 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsPerCycle: { uncontended: 2, contended: 2 },
} as const

export function traitsOf(
  { minReplicas, replicaTimeoutMs: withinMs }: RedisSettings,
  traits: Omit<Traits, keyof typeof lockTraits>,
): Traits {
  if (minReplicas === 0) return { ...lockTraits, ...traits }
  const confirmation = { withinMs, option: 'replicaTimeoutMs' }
  return { ...lockTraits, ...traits, lease: { ...lockTraits.lease, confirmation } }
}

/** A connection takes several round trips, which a command does not. */
const shortestConnectMs = 1_000

/** What a session needs of its servers. */
export function reach(
  { redis, credentials }: Pick<RedisOptions, 'redis' | 'credentials'>,
  { minReplicas: wanted, replicaTimeoutMs: timeoutMs }: RedisSettings,
  host: EngineHost,
): Pick<RedisSessionOptions, 'connections' | 'replicas'> {
  const connectTimeoutMs = Math.min(Math.max(host.commandTimeoutMs, shortestConnectMs), 10_000)
  const ask = credentials && askOf(credentials, host.commandTimeoutMs)
  const open = (more?: Record<string, unknown>): Connections =>
    openConnections(redis, host.clientId, connectTimeoutMs, more, ask)
  const connections = open()
  if (wanted === 0) return { connections, replicas: null }
  // A WAIT gets no reply for as long as replicas are behind.
  return { connections, replicas: { connections: open({ socketTimeout: undefined }), wanted, timeoutMs } }
}

export const allSteps = [sharedSteps, latchSteps, multiSteps, operatorSteps] as const

/**
 * Locks on Redis or Valkey: stand-alone, Sentinel or Cluster. `new Holdfast({ redis })` is `new Holdfast({ engine: redisEngine({ redis }) })`;
 * what wraps or tests engines takes this.
 *
 * @throws `InvalidArgumentError` for a bad option
 */
export function redisEngine(options: RedisOptions): LockEngine {
  return nativeEngine(options, allSteps)
}
