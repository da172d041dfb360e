import type { DocumentHost } from '@holdfast/stores/documents'
import { resolveOptions, type MemcachedOptions } from '../../../src/memcached/options.js'
import { MemcachedSession } from '../../../src/memcached/session.js'

export const timeoutMs = 5_000

/** A session without a client around it. */
export class BareSession extends MemcachedSession {
  readonly events: string[]
  readonly warnings: string[]

  private constructor(options: MemcachedOptions, commandTimeoutMs: number) {
    const events: string[] = []
    const warnings: string[] = []
    const host: DocumentHost = {
      clientId: 'bare',
      commandTimeoutMs,
      renewEveryMs: 10_000,
      watchdogTimeoutMs: 30_000,
      now: () => performance.now(),
      broken: () => events.push('broken'),
      reconnected: () => events.push('reconnected'),
      error: () => undefined,
      warn: (code, message) => warnings.push(`${code}: ${message}`),
    }
    super(resolveOptions(options), host)
    this.events = events
    this.warnings = warnings
  }

  /** Not connected yet. */
  static of(options: MemcachedOptions, commandTimeoutMs = timeoutMs): BareSession {
    return new BareSession(options, commandTimeoutMs)
  }

  async textOf(key: string): Promise<string> {
    return (await this.read(key, timeoutMs)).text
  }

  /** Replaces what is there now. */
  async write(key: string, text: string, keepMs = 30_000): Promise<boolean> {
    const { version } = await this.read(key, timeoutMs)
    return this.replace(key, text, version, keepMs, timeoutMs)
  }
}
