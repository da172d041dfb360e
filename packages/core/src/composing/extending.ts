import type { LockSteps } from '../engine/lock-steps.js'
import { LockLostError } from '../errors/errors.js'
import type { Extension } from '../holding/extension.js'
import type { Hold } from '../holding/hold.js'
import type { MemberClient, MemberLease } from './member.js'

/** A hold, as far as extending it goes. */
interface Extendable {
  extension(wantedMs: number): Pick<Extension, 'renewal' | 'settle'>
}

/** A hold that was made for the whole, and the client that keeps it. */
export interface OwnHold<L extends MemberLease> {
  readonly client: MemberClient<L>
  readonly hold: Hold<L>
}

/**
 * Proves that the holds live and extends them, with one command for each group of each client.
 *
 * @param wantedMs - to at least how long
 * @throws `LockLostError` when one of them is lost, `UnavailableError` when no reply came
 */
export async function extendTogether<L extends MemberLease>(
  holds: readonly OwnHold<L>[],
  wantedMs: (client: MemberClient<L>) => number,
  timeoutMs: number,
): Promise<void> {
  const groups = new Map<MemberClient<L>, Map<string, Hold<L>[]>>()
  for (const { client, hold } of holds) {
    const ofClient = groups.get(client) ?? new Map<string, Hold<L>[]>()
    groups.set(client, ofClient)
    ofClient.set(hold.group, [...(ofClient.get(hold.group) ?? []), hold])
  }
  const calls = [...groups].flatMap(([client, ofClient]) =>
    [...ofClient.values()].map((group) => {
      const { steps, settings } = client
      const limitMs = Math.max(1, Math.ceil(Math.min(timeoutMs, settings.commandTimeoutMs)))
      return extendGroup(steps, group, wantedMs(client), limitMs)
    }),
  )
  await Promise.all(calls)
}

/** The same for holds of one group. What came of one of them changes nothing for the others. */
export async function extendGroup(
  steps: Pick<LockSteps, 'renew'>,
  holds: readonly Extendable[],
  wantedMs: number,
  limitMs: number,
): Promise<void> {
  const extensions = holds.map((hold) => hold.extension(wantedMs))
  const replies = await steps.renew(
    extensions.map(({ renewal }) => renewal),
    limitMs,
  )
  const errors = extensions.flatMap((extension, i) => {
    try {
      extension.settle(replies[i])
      return []
    } catch (error) {
      return [error]
    }
  })
  // A loss weighs more than a reply that did not come.
  if (errors.length > 0) throw errors.find((error) => error instanceof LockLostError) ?? errors[0]
}
