import type { HistoryEvent } from '@holdfast/testkit'
import type { PeerCycles } from './cycles.js'

/** The cycles of all clients, in the form that the testkit's checker reads. */
export function historyOf(lock: string, run: readonly PeerCycles[]): HistoryEvent[] {
  return run.flatMap(({ peer, cycles }, p) =>
    cycles.flatMap(
      ({ owner, requestedAtMs, enteredAtMs, leftAtMs, releasedAtMs, token }, n): HistoryEvent[] => {
        const of = { process: `${peer.name} #${String(p + 1)}`, call: `${String(p)}-${String(n)}`, lock }
        return [
          { ...of, kind: 'requested', atMs: requestedAtMs, waitMs: null },
          { ...of, kind: 'acquired', atMs: enteredAtMs, owner, token, count: 1, claimUntilMs: null },
          { ...of, kind: 'left', atMs: leftAtMs, owner },
          { ...of, kind: 'released', atMs: releasedAtMs, owner },
        ]
      },
    ),
  )
}
