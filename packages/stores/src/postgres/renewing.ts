import type { RenewalReply } from '@holdfast/core/engine'
import type { PostgresRenewal } from './steps.js'

/** How long a renewal waits for a row that something else has locked, milliseconds: longer than a step takes. */
const rowWaitMs = 50

/** Sends one statement, which waits for rows that are locked for up to `rowWaitMs` in all. */
export type SendRenewals = (
  renewals: readonly PostgresRenewal[],
  waitMs: number,
  timeoutMs: number,
) => Promise<readonly RenewalReply[]>

/**
 * Renews all holds whose rows can be locked, and then the rest one by one. A row that stays locked costs no other hold its
 * lease: each wait is short, and all of them together take a quarter of the time there is. What is left then is `no-reply`.
 */
export async function renewAll(
  renewals: readonly PostgresRenewal[],
  timeoutMs: number,
  send: SendRenewals,
): Promise<readonly RenewalReply[]> {
  const untilMs = performance.now() + timeoutMs / 4
  const isAlone = renewals.length === 1
  const replies = [...(await send(renewals, isAlone ? rowWaitMs : 0, timeoutMs))]
  for (const [i, renewal] of renewals.entries()) {
    // A single hold has all the time for itself; of many each has one try.
    while (replies[i] === 'no-reply' && performance.now() < untilMs) {
      const [reply = 'no-reply'] = await send([renewal], rowWaitMs, timeoutMs).catch(() => [])
      replies[i] = reply
      if (!isAlone) break
    }
  }
  return replies
}
