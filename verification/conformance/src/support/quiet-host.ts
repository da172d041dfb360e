import type { EngineHost } from '@holdfast/core/engine'

const ignore = (): void => undefined

/** A client that does nothing about what its session reports to it, but for what is given. */
export const quietHost = (clientId: string, more: Partial<EngineHost> = {}): EngineHost => ({
  clientId,
  client: { host: 'here', pid: 1, label: clientId, startedAt: new Date(0) },
  watchdogTimeoutMs: 30_000,
  renewEveryMs: 10_000,
  commandTimeoutMs: 5_000,
  now: () => performance.now(),
  granted: ignore,
  revoked: ignore,
  wake: ignore,
  opened: ignore,
  onMessage: ignore,
  missed: ignore,
  unsubscribed: ignore,
  broken: ignore,
  reconnected: ignore,
  warn: ignore,
  error: ignore,
  ...more,
})
