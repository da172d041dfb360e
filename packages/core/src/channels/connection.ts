import { isPointObserved, publishPoint } from './channels.js'
import type { ConnectionMessage } from './contexts.js'

/** Publishes what becomes of the connection of one client to its store, until the client ends it. */
export class ConnectionChannel {
  readonly #subject: Omit<ConnectionMessage, 'state'>
  #isClosed = false

  constructor(subject: Omit<ConnectionMessage, 'state'>) {
    this.#subject = subject
  }

  publish(state: ConnectionMessage['state']): void {
    if (!this.#isClosed && isPointObserved('connection'))
      publishPoint('connection', { ...this.#subject, state })
  }

  close(): void {
    this.#isClosed = true
  }
}
