import type { Hold } from '../holding/hold.js'
import type { MemberClient, MemberLease } from './member.js'

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
    [...ofClient.values()].map((group) => extendGroup(client, group, wantedMs(client), timeoutMs)),
  )
  await Promise.all(calls)
}

async function extendGroup<L extends MemberLease>(
  { session, acquisition }: MemberClient<L>,
  holds: readonly Hold<L>[],
  wantedMs: number,
  timeoutMs: number,
): Promise<void> {
  const extensions = holds.map((hold) => hold.extension(wantedMs))
  const limitMs = Math.max(1, Math.ceil(Math.min(timeoutMs, acquisition.settings.commandTimeoutMs)))
  const replies = await session.renew(
    extensions.map(({ renewal }) => renewal),
    limitMs,
  )
  extensions.forEach((extension, i) => {
    extension.settle(replies[i])
  })
}
