import { createHook } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** What holds memory or keeps the process alive. Of TLS the socket beneath: the rest of it ends when its memory is collected. */
const watched = /^(Timeout|TCPWRAP|TCPSERVERWRAP|PIPEWRAP|PIPESERVERWRAP|PROCESSWRAP|UDPWRAP|WORKER)$/

/** Lines of test runners and of their compilers, and of PGlite, which sets timers that end with the database. */
const others = /[\\/](@jest|jest-[a-z-]+|@swc|@vitest|vitest|tinypool|pglite)[\\/]/

/** Starts watching; what is returned resolves once nothing that was opened since is left, and rejects after two seconds. */
export function watchResources(): () => Promise<void> {
  const origins = new Map<number, string>()
  const hook = createHook({
    init(asyncId, type) {
      if (!watched.test(type)) return
      const origin = firstFrame()
      if (!others.test(origin)) origins.set(asyncId, `${type} ${origin}`)
    },
    destroy(asyncId) {
      origins.delete(asyncId)
    },
  })
  hook.enable()
  return async () => {
    const giveUpAt = performance.now() + 2_000
    try {
      // Turns of the event loop rather than a timer, which would itself be seen.
      while (origins.size > 0 && performance.now() < giveUpAt) await nextTurn()
      if (origins.size > 0) throw new Error(`left open:\n  ${[...origins.values()].join('\n  ')}`)
    } finally {
      hook.disable()
    }
  }
}

/** The innermost line of the stack that is neither Node's own nor this module's. */
function firstFrame(): string {
  const frames = (new Error().stack ?? '').split('\n').slice(1)
  const found = frames.find((frame) => !frame.includes('node:') && !/open-resources\.[jt]s/.test(frame))
  return found?.trim() ?? 'at an unknown place'
}
