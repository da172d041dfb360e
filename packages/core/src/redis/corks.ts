import type { CommandConnection } from './types.js'

type Stream = NonNullable<CommandConnection['stream']>

const fewest = 2
const most = 16
/** As many writes for all that is in flight keep the server busy while the rest is being written. */
const writes = 8

/**
 * Lets what is sent on a connection in one turn of the event loop leave in few writes: each one is a system call. One
 * alone would be too few, since the server would have nothing to do until the turn ends, and then the client.
 */
export class Corks {
  /** How much is held back: 0 while nothing is. */
  readonly #held = new WeakMap<Stream, { commands: number }>()

  /**
   * Called before something is sent. Holds it back, until there is enough of it or the turn ends; promise callbacks are
   * part of a turn.
   */
  cork({ stream }: CommandConnection, inFlight: number): void {
    if (!stream) return
    let held = this.#held.get(stream)
    if (!held) this.#held.set(stream, (held = { commands: 0 }))
    if (held.commands === 0) {
      stream.cork()
      process.nextTick(this.#release, stream, held)
    } else if (held.commands >= Math.min(most, Math.max(fewest, Math.ceil(inFlight / writes)))) {
      stream.uncork()
      stream.cork()
      held.commands = 0
    }
    held.commands++
  }

  readonly #release = (stream: Stream, held: { commands: number }): void => {
    held.commands = 0
    stream.uncork()
  }
}
