import { onAbort } from './abort.js'

/** Resolves after `ms`. Rejects with the signal's reason, and leaves no timer, as soon as one of the signals aborts. */
export async function abortablePause(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  for (const signal of signals) signal.throwIfAborted()
  let timer: NodeJS.Timeout | undefined
  let stopListening: (() => void)[] = []
  await new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
    stopListening = signals.map((signal) => onAbort(signal, resolve))
  })
  clearTimeout(timer)
  for (const stop of stopListening) stop()
  for (const signal of signals) signal.throwIfAborted()
}
