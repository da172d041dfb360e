import { createHook } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Resources that hold memory or keep the process alive: timers, sockets, servers, pipes, child processes. Of TLS the socket
 * beneath: the rest of it ends when its memory is collected, however long it was closed before.
 */
const watched = /^(Timeout|TCPWRAP|TCPSERVERWRAP|PIPEWRAP|PIPESERVERWRAP|PROCESSWRAP|UDPWRAP|WORKER)$/

/** Lines of Jest and of its compilers, and of PGlite: PostgreSQL sets timers of its own now and then, which end with the database. */
const others = /[\\/](@jest|jest-[a-z-]+|@swc|pglite)[\\/]/

/** Tracks the resources opened since its creation. */
export interface ResourceWatch {
  /** Type and origin of each resource opened since and still open, including unreferenced timers. */
  open(): string[]
  /** Resolves once none is left; rejects after `timeoutMs` (2_000) with a list of the rest and their origins. */
  expectNone(timeoutMs?: number): Promise<void>
  /** Ends the watch. `expectNone` does so too. */
  stop(): void
}

/**
 * Starts watching for sockets and timers that are never closed.
 *
 * Call it at the start of a test and `expectNone` after the `close()` of the subject. Resources of the test runner and
 * of PGlite do not count, nor does what is opened on a line that matches `except`.
 */
export function watchResources({ except }: { readonly except?: RegExp } = {}): ResourceWatch {
  const opened = new Map<number, Opening>()
  const hook = createHook({
    init(asyncId, type) {
      if (!isOwn && watched.test(type)) opened.set(asyncId, new Opening(type))
    },
    destroy(asyncId) {
      opened.delete(asyncId)
    },
  })
  /** Whether what is opened now is a timer of this watch. */
  let isOwn = false
  hook.enable()
  const counts = ({ origin }: Opening): boolean => !others.test(origin) && except?.test(origin) !== true
  const left = (): Opening[] => [...opened.values()].filter(counts)
  const open = () => left().map(({ type, origin }) => `${type} ${origin}`)
  return {
    open,
    async expectNone(timeoutMs = 10_000) {
      const giveUpAt = performance.now() + timeoutMs
      try {
        // Not by turns of the event loop, one after the other: that keeps a processor busy.
        while (left().length > 0 && performance.now() < giveUpAt) {
          isOwn = true
          const pause = sleep(lookEveryMs)
          isOwn = false
          await pause
        }
        if (left().length === 0) return
        throw new Error(`left open:\n  ${open().join('\n  ')}`)
      } finally {
        hook.disable()
      }
    },
    stop() {
      hook.disable()
    },
  }
}

const lookEveryMs = 5

/** A resource that was opened. */
class Opening {
  readonly #at = new Error()
  #origin: string | undefined

  constructor(readonly type: string) {}

  /**
   * The innermost line of the stack that is neither Node's own nor this module's. Read late: with the source maps of a test runner, to put
   * a stack into words takes longer than opening and closing most resources, and few are open when a test looks.
   */
  get origin(): string {
    return (this.#origin ??= innermost(this.#at.stack ?? ''))
  }
}

function innermost(stack: string): string {
  const frames = stack.split('\n').slice(1)
  const found = frames.find((frame) => !frame.includes('node:') && !/open-resources\.[jt]s/.test(frame))
  return found?.trim() ?? 'at an unknown place'
}
