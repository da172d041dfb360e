import type { Holdfast } from '@holdfast/core'

/** Writes the audit line. Takes the lock itself, independently of its callers. */
export async function audit(holdfast: Holdfast, order: string): Promise<void> {
  await holdfast.getLock(order).withLock((lease) => console.log(`    audit    hold count ${lease.holdCount}`))
}
