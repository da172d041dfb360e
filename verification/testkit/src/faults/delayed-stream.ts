import type { Socket } from 'node:net'

type Item = { readonly dueAt: number } & ({ readonly bytes: Buffer } | { readonly end: 'half' | 'whole' })

export interface Delay {
  /** The delay of the bytes that arrive now, in milliseconds; called for each chunk. */
  readonly of: () => number
  /** Timers count whole milliseconds, so the last one or two are spent in a busy loop. */
  readonly isExact: boolean
}

/** A chunk takes at most this long on a narrow connection, so that bytes trickle and a new bandwidth soon takes effect. */
const pieceMs = 20

/**
 * One direction of a proxied connection: keeps the order, adds delay, limits the bandwidth, and can hold everything
 * back.
 *
 * Only the head of the queue is sent, so bytes with a shorter delay wait behind earlier ones.
 *
 * The end of the stream is queued like bytes, as on a real connection. There is no back-pressure: tests are small.
 */
export class DelayedStream {
  readonly #to: Socket
  readonly #queue: Item[] = []
  #delay: Delay = { of: () => 0, isExact: false }
  #bytesPerSecond = Infinity
  #freeAt = 0
  #held: 'no' | 'keep' | 'drop' = 'no'
  #timer: NodeJS.Timeout | undefined
  #look: NodeJS.Immediate | undefined
  #torn = false

  constructor(to: Socket) {
    this.#to = to
  }

  write(bytes: Buffer): void {
    if (this.#held === 'drop') this.#torn = true
    else this.#enqueue({ dueAt: this.#dueAt(), bytes })
  }

  /** `half`: the sender has finished writing. `whole`: its connection is closed. */
  end(end: 'half' | 'whole'): void {
    this.#enqueue({ dueAt: this.#dueAt(), end })
  }

  setDelay(delay: Delay): void {
    this.#delay = delay
  }

  setBandwidth(bytesPerSecond: number): void {
    this.#bytesPerSecond = bytesPerSecond
    this.#freeAt = 0
    this.#pump()
  }

  hold(mode: 'keep' | 'drop'): void {
    this.#held = mode
  }

  /** Delivers what was kept. A stream that lost bytes cannot continue: its connection is reset. */
  heal(): void {
    this.#held = 'no'
    if (this.#torn) this.#to.resetAndDestroy()
    else this.#pump()
  }

  close(): void {
    this.#stopWaiting()
    this.#queue.length = 0
  }

  #dueAt(): number {
    return performance.now() + this.#delay.of()
  }

  #enqueue(item: Item): void {
    this.#queue.push(item)
    this.#pump()
  }

  readonly #pump = (): void => {
    this.#stopWaiting()
    if (this.#held !== 'no') return
    for (;;) {
      const [head] = this.#queue
      if (!head) return
      const waitMs = Math.max(head.dueAt, this.#freeAt) - performance.now()
      if (waitMs > 0) {
        this.#pumpIn(waitMs)
        return
      }
      this.#queue.shift()
      if ('bytes' in head) this.#send(head)
      else if (head.end === 'half') this.#to.end()
      else this.#to.destroy()
    }
  }

  #pumpIn(waitMs: number): void {
    const { isExact } = this.#delay
    if (isExact && waitMs < 2) {
      this.#look = setImmediate(this.#pump)
      return
    }
    this.#timer = setTimeout(this.#pump, isExact ? Math.floor(waitMs - 1) : Math.ceil(waitMs))
    // The sockets keep the process alive while there is a recipient.
    this.#timer.unref()
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer)
    clearImmediate(this.#look)
  }

  /** Sends what the bandwidth allows at once; the rest stays at the head of the queue. */
  #send({ bytes, dueAt }: { readonly bytes: Buffer; readonly dueAt: number }): void {
    const most = Math.max(1, Math.floor((this.#bytesPerSecond * pieceMs) / 1_000))
    const piece = bytes.subarray(0, most)
    this.#to.write(piece)
    if (piece.length < bytes.length) this.#queue.unshift({ dueAt, bytes: bytes.subarray(most) })
    this.#freeAt = performance.now() + (piece.length / this.#bytesPerSecond) * 1_000
  }
}
