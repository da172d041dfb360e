import type { CommandConnection } from './types.js'

type Stream = NonNullable<CommandConnection['stream']>

/** Lets all that is sent on a connection in one turn of the event loop leave in one write. */
export class Corks {
  readonly #corked = new Set<Stream>()

  /** Holds back what is sent on this connection from now until the turn ends; promise callbacks are part of a turn. */
  cork({ stream }: CommandConnection): void {
    if (!stream || this.#corked.has(stream)) return
    this.#corked.add(stream)
    stream.cork()
    process.nextTick(() => {
      this.#corked.delete(stream)
      stream.uncork()
    })
  }
}
