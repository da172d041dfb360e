import type { Socket } from 'node:net'

type Item = { readonly dueAt: number } & ({ readonly bytes: Buffer } | { readonly end: 'half' | 'whole' })

/**
 * One direction of a proxied connection: keeps the order, adds delay, and holds everything back while told to.
 *
 * The end of the stream waits in line like the bytes do, as on a real link. There is no back-pressure: tests are small.
 */
export class Pipe {
  readonly #to: Socket
  readonly #queue: Item[] = []
  #delayMs = 0
  #held: 'no' | 'keep' | 'drop' = 'no'
  #timer: NodeJS.Timeout | undefined
  #torn = false

  constructor(to: Socket) {
    this.#to = to
  }

  write(bytes: Buffer): void {
    if (this.#held === 'drop') this.#torn = true
    else this.#enqueue({ dueAt: this.#dueAt(), bytes })
  }

  /** `half`: the sender has no more to say. `whole`: its connection is gone. */
  end(end: 'half' | 'whole'): void {
    this.#enqueue({ dueAt: this.#dueAt(), end })
  }

  setDelay(delayMs: number): void {
    this.#delayMs = delayMs
  }

  hold(mode: 'keep' | 'drop'): void {
    this.#held = mode
  }

  /** Delivers what was kept. A stream that lost bytes cannot go on: its connection is reset. */
  heal(): void {
    this.#held = 'no'
    if (this.#torn) this.#to.resetAndDestroy()
    else this.#pump()
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#queue.length = 0
  }

  #dueAt(): number {
    return performance.now() + this.#delayMs
  }

  #enqueue(item: Item): void {
    this.#queue.push(item)
    this.#pump()
  }

  #pump(): void {
    clearTimeout(this.#timer)
    if (this.#held !== 'no') return
    for (;;) {
      const [head] = this.#queue
      if (!head) return
      const waitMs = head.dueAt - performance.now()
      if (waitMs > 0) {
        this.#timer = setTimeout(() => {
          this.#pump()
        }, Math.ceil(waitMs))
        // The sockets keep the process alive for as long as there is anybody to deliver to.
        this.#timer.unref()
        return
      }
      this.#queue.shift()
      if ('bytes' in head) this.#to.write(head.bytes)
      else if (head.end === 'half') this.#to.end()
      else this.#to.destroy()
    }
  }
}
