import { createHook } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** What holds memory or keeps the process alive. Of TLS the socket beneath: the rest of it ends when its memory is collected. */
const watched = /^(Timeout|TCPWRAP|TCPSERVERWRAP|PIPEWRAP|PIPESERVERWRAP|PROCESSWRAP|UDPWRAP|WORKER)$/

/** Lines of test runners and of their compilers, and of PGlite, which sets timers that end with the database. */
const others = /[\\/](@jest|jest-[a-z-]+|@swc|@vitest|vitest|tinypool|pglite)[\\/]/

/** Starts watching; what is returned resolves once nothing that was opened since is left, and rejects after two seconds. */
export function watchResources(): () => Promise<void> {
  const opened = new Map<number, { readonly type: string; readonly at: Error }>()
  /** Whether what is opened now is a timer of this watch. */
  let isOwn = false
  const hook = createHook({
    init(asyncId, type) {
      // Put into words at the end, for what is left: with the source maps of a test runner that takes long.
      if (!isOwn && watched.test(type)) opened.set(asyncId, { type, at: new Error() })
    },
    destroy(asyncId) {
      opened.delete(asyncId)
    },
  })
  const left = (): string[] =>
    [...opened.values()]
      .map(({ type, at }) => `${type} ${firstFrame(at)}`)
      .filter((line) => !others.test(line))
  hook.enable()
  return async () => {
    const giveUpAt = performance.now() + 2_000
    try {
      // Not by turns of the event loop, one after the other: that keeps a processor busy.
      while (left().length > 0 && performance.now() < giveUpAt) {
        isOwn = true
        const pause = sleep(lookEveryMs)
        isOwn = false
        await pause
      }
      if (left().length > 0) throw new Error(`left open:\n  ${left().join('\n  ')}`)
    } finally {
      hook.disable()
    }
  }
}

const lookEveryMs = 5

/** The innermost line of the stack that is neither Node's own nor this module's. */
function firstFrame({ stack = '' }: Error): string {
  const frames = stack.split('\n').slice(1)
  const found = frames.find((frame) => !frame.includes('node:') && !/open-resources\.[jt]s/.test(frame))
  return found?.trim() ?? 'at an unknown place'
}
