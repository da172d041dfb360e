/** Gets every message of a channel. */
export type MessageListener = (message: string) => void

/** One listener's place; the same function may have several. */
interface Seat {
  readonly listener: MessageListener
}

interface Waiter {
  /** Given up together with the wait, if the wait was for the start of this listener. */
  readonly seat: Seat | undefined
  resolve(): void
  reject(error: Error): void
}

/**
 * A channel's listeners, and how far its subscription has come on the connection of the moment.
 *
 * | Step      | true in it                                               | left by                                   |
 * | --------- | -------------------------------------------------------- | ----------------------------------------- |
 * | pending   | not asked for on this connection, or refused there       | SUBSCRIBE sent → asked                    |
 * | asked     | one SUBSCRIBE is on its way                              | answered → confirmed; refused → pending   |
 * | confirmed | messages arrive                                          | connection gone → pending                 |
 */
export class Channel {
  step: 'pending' | 'asked' | 'confirmed' = 'pending'
  /** It was confirmed on an earlier connection, and nobody has been told yet that messages may be missing. */
  hasGap = false

  /** Never changed, only replaced: a message goes to those who listen when it comes. */
  private seats: readonly Seat[] = []
  private waiters: Waiter[] = []

  constructor(readonly name: string) {}

  get hasListeners(): boolean {
    return this.seats.length > 0
  }

  /** Hands the message to every listener; what one throws goes to `onError`. */
  deliver(message: string, onError: (error: unknown) => void): void {
    for (const { listener } of this.seats) {
      try {
        listener(message)
      } catch (error) {
        onError(error)
      }
    }
  }

  /** Adds a listener for good once the subscription is confirmed; takes it away again if it is rejected. */
  addListener(listener: MessageListener): Promise<void> {
    const seat = { listener }
    this.seats = [...this.seats, seat]
    return this.whenConfirmed(seat)
  }

  whenConfirmed(seat?: Seat): Promise<void> {
    if (this.step === 'confirmed') return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.waiters.push({ seat, resolve, reject })
    })
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
      this.seats = this.seats.filter((seat) => seat !== waiter.seat)
      waiter.reject(error)
    }
  }

  private takeWaiters(): Waiter[] {
    const waiters = this.waiters
    this.waiters = []
    return waiters
  }
}
