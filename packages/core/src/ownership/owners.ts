import { ownerOf } from '../engine/owner.js'

/** The owners of one client, in the order in which they are made. No two are the same. */
export class Owners {
  readonly clientId: string
  #last = 0

  constructor(clientId: string) {
    this.clientId = clientId
  }

  /** The number of a new one. */
  nextNumber(): number {
    return ++this.#last
  }

  next(): string {
    return ownerOf(this.clientId, this.nextNumber())
  }
}
