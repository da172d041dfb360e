import { hash, randomBytes } from 'node:crypto'

/** 96 bits: whoever guesses has as many tries as there are messages. */
const proofLength = 16

/**
 * What the notification of a grant has to repeat. Each owner's is derived from a secret of this client and store, so it costs no
 * memory per waiter, and that of an owner whose wait is over can still be checked.
 */
export class Proofs {
  readonly #secret = randomBytes(24).toString('base64url')

  /** The proof of one owner; others than the store and this client learn it with the grant at the earliest. */
  of(owner: string): string {
    // Truncated, so that it cannot be extended to that of a longer text.
    return hash('sha256', `${this.#secret} ${owner}`, 'base64url').slice(0, proofLength)
  }
}
