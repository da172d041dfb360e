import type { EngineHost, LockEngine } from '@holdfast/core/engine'

/**
 * The engine as a store would offer it that queues waiters and lets the first in, but cannot notify: they find out by polling.
 *
 * @param againMsAt - when to request again from that position in the queue; by default after `pollMs`
 */
export function polledQueue(engine: LockEngine, againMsAt?: (position: number) => number): LockEngine {
  const { fifo, lease, fencing, survives } = engine.traits
  return {
    name: 'polled-queue',
    traits: {
      fifo,
      lease,
      fencing,
      survives,
      commandsPerCycle: { uncontended: 2, contended: 3 },
      handOff: { pollMs: [20, 40], queued: true },
      force: 'at renewal',
    },
    open: (host) => {
      const session = engine.open(deaf(host))
      const { steps, store, names, registry } = session
      const acquire = steps.acquire.bind(steps)
      steps.acquire = async (address, request, timeoutMs) => {
        const reply = await acquire(address, request, timeoutMs)
        return reply.kind === 'busy' && againMsAt ? { ...reply, againMs: againMsAt(reply.position) } : reply
      }
      return {
        ...{ store, names, steps, registry },
        inbox: { isSubscribed: () => false, subscribe: () => Promise.resolve() },
        prepare: (address) => session.prepare(address),
        close: () => session.close(),
      }
    },
  }
}

/** The same client, which no notification reaches. */
const deaf = (host: EngineHost): EngineHost => {
  const ignore = (): void => undefined
  return { ...host, granted: ignore, revoked: ignore, wake: ignore, missed: ignore, unsubscribed: ignore }
}
