import type { LockEngine } from '../../src/engine/session.js'
import { HoldfastQuorum, type HoldfastQuorumOptions } from '../../src/index.js'
import { closeAfterTest } from './clients.js'

type Options = Omit<HoldfastQuorumOptions, 'masters'>

/** A quorum client that `closeAll` closes. Masters that have just started have a vote, unless the options say otherwise. */
export function openQuorum(masters: HoldfastQuorumOptions['masters'], options: Options = {}): HoldfastQuorum {
  const quorum = new HoldfastQuorum({ restartQuarantineMs: 0, memberTimeoutMs: 2_000, ...options, masters })
  closeAfterTest(() => quorum.close())
  return quorum
}

/** The same on engines. */
export const openQuorumOn = (engines: readonly LockEngine[], options: Options = {}): HoldfastQuorum =>
  openQuorum(
    engines.map((engine) => ({ engine })),
    options,
  )

/** Has it connect to its masters and do its first-use checks. */
export async function useQuorum(quorum: HoldfastQuorum): Promise<HoldfastQuorum> {
  await quorum.getLock(`first-use:${quorum.clientId}`).withLock(() => undefined)
  return quorum
}
