import type { CommandConnection } from './types.js'

type Stream = NonNullable<CommandConnection['stream']>
type ConnectionFor = (key: string) => Pick<CommandConnection, 'stream'> | undefined

/** With this few in flight, write at once: holding back would leave the server idle. */
const fewInFlight = 4
const minBatch = 2
const maxBatch = 16
/**
 * A third of what is in flight is enough for a write: the server still has the rest to work on, since a command costs the
 * client less than three times what it costs the server.
 */
const writes = 3

/**
 * Sends what is written on a connection in one turn of the event loop in few writes, since each is a system call. A single
 * one would be too few: the server would idle until the turn ends, and then the client.
 */
export class WriteCoalescer {
  readonly #connectionFor: ConnectionFor
  /** How many commands are held back; 0 while none is. */
  readonly #held = new WeakMap<Stream, { commands: number }>()

  /** @param connectionFor - on which commands for a key are sent, as far as that is known */
  constructor(connectionFor: ConnectionFor) {
    this.#connectionFor = connectionFor
  }

  /**
   * Called before a command is sent. Where much is in flight, holds it back until there is enough of it or the turn ends;
   * promise callbacks are part of a turn.
   */
  beforeWrite(key: string, inFlight: number): void {
    if (inFlight <= fewInFlight) return
    const stream = this.#connectionFor(key)?.stream
    if (!stream) return
    let held = this.#held.get(stream)
    if (!held) this.#held.set(stream, (held = { commands: 0 }))
    if (held.commands === 0) {
      stream.cork()
      process.nextTick(this.#release, stream, held)
    } else if (held.commands >= Math.min(maxBatch, Math.max(minBatch, Math.ceil(inFlight / writes)))) {
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
