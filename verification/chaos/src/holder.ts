import type { ObservedClient } from './observed-client.js'
import { nowMs, type HistoryEvent } from '@holdfast/testkit/process'
import { setTimeout as sleep } from 'node:timers/promises'
import { claimOf, type ClaimedHold, type Entry, type RecordedCall } from './recorded-call.js'

/** How often a holder checks that it still holds. */
const confirmEveryMs = 15

/** What a process does with its leases: it works, checks that it still holds, and records both. */
export class Holder {
  readonly #process: string
  readonly #write: (event: HistoryEvent) => void
  readonly #leases = new Map<string, ClaimedHold>()
  readonly #tokens = new Map<string, number>()

  constructor(process: string, write: (event: HistoryEvent) => void) {
    this.#process = process
    this.#write = write
  }

  /** Records what this client reports of holds. */
  watch(client: ObservedClient): void {
    client.on('acquired', ({ owner, fencingToken }) => this.#tokens.set(owner, fencingToken))
    client.on('renewed', ({ owner }) => {
      const lease = this.#leases.get(owner)
      if (lease) this.#confirm(lease)
    })
  }

  /** The token of a hold whose leases do not have it. */
  tokenOf(owner: string): number | null {
    return this.#tokens.get(owner) ?? null
  }

  /** Begins to use a lease; returns what ends that. */
  enter(call: RecordedCall, lease: ClaimedHold, entry: Entry): () => void {
    call.acquired(lease, entry)
    this.#leases.set(lease.owner, lease)
    const onLost = () => call.lost()
    lease.signal.addEventListener('abort', onLost)
    return () => {
      lease.signal.removeEventListener('abort', onLost)
      call.left(lease)
    }
  }

  /**
   * Works until the time is up or the hold is lost, as a careful holder does.
   *
   * @param others - that go with it
   */
  async work(lease: ClaimedHold, workMs: number, others: readonly ClaimedHold[] = []): Promise<void> {
    const endAtMs = nowMs() + workMs
    for (let leftMs = workMs; leftMs > 0; leftMs = endAtMs - nowMs()) {
      await sleep(Math.min(confirmEveryMs, leftMs))
      for (const other of others) this.#confirm(other)
      if (!this.#confirm(lease)) return
    }
  }

  #confirm(lease: ClaimedHold): boolean {
    const atMs = nowMs()
    const claimUntilMs = claimOf(lease, atMs)
    if (claimUntilMs <= atMs) return false
    const { name: lock, owner } = lease
    this.#write({ kind: 'confirmed', atMs, process: this.#process, lock, owner, claimUntilMs })
    return true
  }
}
