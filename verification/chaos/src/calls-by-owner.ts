/**
 * Finds the call that an owner belongs to before the call itself can report it.
 *
 * An owner is `<clientId>:<n>`, and each call of a client from outside a hold draws its n as soon as it is made. So
 * calls that are added in the order in which they are made are found by n.
 */
export class CallsByOwner<Call> {
  readonly #calls: Call[] = []

  add(call: Call): void {
    this.#calls.push(call)
  }

  find(owner: string): Call | undefined {
    return this.#calls[Number(owner.slice(owner.lastIndexOf(':') + 1)) - 1]
  }
}
