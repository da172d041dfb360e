import type { CommandConnection } from './types.js'

type Stream = NonNullable<CommandConnection['stream']>
type ConnectionFor = (key: string) => Pick<CommandConnection, 'stream'> | undefined

/** While no more than these are in flight each command leaves at once: held back, it would keep the server waiting. */
const fewInFlight = 4
const fewest = 2
const most = 16
/** As many writes for all that is in flight keep the server busy while the rest is being written. */
const writes = 8

/**
 * Lets what is sent on a connection in one turn of the event loop leave in few writes: each one is a system call. One
 * alone would be too few, since the server would have nothing to do until the turn ends, and then the client.
 */
export class Corks {
  readonly #connectionFor: ConnectionFor
  /** How much is held back: 0 while nothing is. */
  readonly #held = new WeakMap<Stream, { commands: number }>()

  /** @param connectionFor - on which commands for a key are sent, as far as that is known */
  constructor(connectionFor: ConnectionFor) {
    this.#connectionFor = connectionFor
  }

  /**
   * Called before something is sent. Where much is in flight, holds it back until there is enough of it or the turn ends;
   * promise callbacks are part of a turn.
   */
  cork(key: string, inFlight: number): void {
    if (inFlight <= fewInFlight) return
    const stream = this.#connectionFor(key)?.stream
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
