import { inspect } from 'node:util'
import type { ObjectKind } from '@holdfast/core'
import { visibleName } from './shared/visible-name.js'

/** What became of an attempt to evict an owner. */
export interface AuditEntry {
  /** When it was decided. */
  readonly at: Date
  /** Of the lock or other object. */
  readonly name: string
  /** What has that name. */
  readonly kind: ObjectKind
  /** Who was to be evicted, `<clientId>:<n>`. */
  readonly owner: string
  /** Who did it: what `authorize` returned; `null` if that was not a name, or if it refused. */
  readonly by: string | null
  /**
   * - `evicted`: the owner is out, and the next waiter has the lock
   * - `not-held`: nothing changed, since this owner no longer held it
   * - `refused`: `authorize` did not allow it
   * - `failed`: the store did not confirm it; `error` says why
   */
  readonly outcome: 'evicted' | 'not-held' | 'refused' | 'failed'
  /** Why it failed. */
  readonly error?: unknown
}

/** One line per entry. Names come from requests, and a terminal would obey some of their characters. */
export function auditOnStderr({ at, error, ...entry }: AuditEntry, auditError?: unknown): void {
  const line = {
    at: at.toISOString(),
    ...entry,
    ...(error !== undefined && { error: inspect(error) }),
    ...(auditError !== undefined && { auditError: inspect(auditError) }),
  }
  process.stderr.write(`holdfast dashboard: ${visibleName(JSON.stringify(line))}\n`)
}

/** Hands an entry to `audit`; one that it fails to take is a line on stderr. The eviction was decided by then, and its reply says so. */
export async function recordIn(
  audit: (entry: AuditEntry) => void | Promise<void>,
  entry: AuditEntry,
): Promise<void> {
  try {
    await audit(entry)
  } catch (error) {
    auditOnStderr(entry, error)
  }
}
