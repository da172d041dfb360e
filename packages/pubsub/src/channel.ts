/** Receives every message of a channel. */
export type MessageListener = (message: string) => void

/** One listener; the same function may be registered several times. */
interface Registration {
  readonly listener: MessageListener
}

interface Waiter {
  /** Given up together with the wait, if the wait was for the start of this listener. */
  readonly registration: Registration | undefined
  resolve(): void
  reject(error: Error): void
}

/**
 * A channel's listeners, and how far its subscription has come on the current connection.
 *
 * | Step      | true in it                                               | left by                                   |
 * | --------- | -------------------------------------------------------- | ----------------------------------------- |
 * | pending   | not requested on this connection, or refused there       | SUBSCRIBE sent → requested                    |
 * | requested     | one SUBSCRIBE is on its way                              | answered → confirmed; refused → pending   |
 * | confirmed | messages arrive                                          | connection gone → pending                 |
 */
export class Channel {
  step: 'pending' | 'requested' | 'confirmed' = 'pending'
  /** It was confirmed on an earlier connection, and no gap has been reported yet. */
  hasGap = false

  /** Never changed, only replaced: a message goes to the listeners of that moment. */
  private registrations: readonly Registration[] = []
  private waiters: Waiter[] = []

  constructor(readonly name: string) {}

  get hasListeners(): boolean {
    return this.registrations.length > 0
  }

  /** Hands the message to every listener; what one throws goes to `onError`. */
  deliver(message: string, onError: (error: unknown) => void): void {
    for (const { listener } of this.registrations) {
      try {
        listener(message)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Adds a listener, which stays once the subscription is confirmed and is removed if it is rejected. */
  addListener(listener: MessageListener): Promise<void> {
    const registration = { listener }
    this.registrations = [...this.registrations, registration]
    return this.whenConfirmed(registration)
  }

  whenConfirmed(registration?: Registration): Promise<void> {
    if (this.step === 'confirmed') return Promise.resolve()
    return new Promise((resolve, reject) => this.waiters.push({ registration, resolve, reject }))
  }

  confirm(): void {
    this.step = 'confirmed'
    for (const waiter of this.takeWaiters()) waiter.resolve()
  }

  /** The connection is gone. */
  reset(): void {
    if (this.step === 'confirmed') this.hasGap = true
    this.step = 'pending'
  }

  /** Ends all waits, and with them the listeners that were waiting to start. */
  rejectWaiters(error: Error): void {
    for (const waiter of this.takeWaiters()) {
      this.registrations = this.registrations.filter((registration) => registration !== waiter.registration)
      waiter.reject(error)
    }
  }

  private takeWaiters(): Waiter[] {
    const waiters = this.waiters
    this.waiters = []
    return waiters
  }
}
