import type { Vote } from './vote.js'

/** They do not all go back at the same instant. */
const jitter = 0.25

/**
 * Votes that are kept while another master is waited for. They go back after one watchdog time, in case that some client has
 * the masters in another order and waits for them in turn. A vote with a fixed lease is not renewed: it is kept while it still
 * lasts for long enough.
 */
export class KeptVotes {
  readonly #watchdogTimeoutMs: number
  #timer: NodeJS.Timeout | undefined

  constructor({ watchdogTimeoutMs }: { readonly watchdogTimeoutMs: number }) {
    this.#watchdogTimeoutMs = watchdogTimeoutMs
  }

  keep(votes: readonly Vote[], leaseMs: number | null): void {
    this.end()
    if (votes.length === 0) return
    const longestMs = Math.min(this.#watchdogTimeoutMs, (leaseMs ?? Infinity) / 2)
    this.#timer = setTimeout(
      () => {
        for (const vote of votes) vote.giveBack()
      },
      longestMs * (1 + jitter * Math.random()),
    )
  }

  /** The wait is over: what was kept stays. */
  end(): void {
    clearTimeout(this.#timer)
  }
}
