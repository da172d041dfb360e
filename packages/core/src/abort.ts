const listening = new WeakMap<
  AbortSignal,
  { readonly callbacks: Set<() => void>; readonly listener: () => void }
>()

/**
 * Calls back when the signal aborts; answers with a function that stops that.
 *
 * However many waits share a signal, it gets one listener, and none once they are over: Node warns of a leak when a
 * signal has more than ten.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const entry = listening.get(signal) ?? listen(signal)
  entry.callbacks.add(callback)
  return () => {
    entry.callbacks.delete(callback)
    if (entry.callbacks.size > 0 || listening.get(signal) !== entry) return
    listening.delete(signal)
    signal.removeEventListener('abort', entry.listener)
  }
}

function listen(signal: AbortSignal) {
  const callbacks = new Set<() => void>()
  const listener = (): void => {
    listening.delete(signal)
    for (const callback of callbacks) callback()
  }
  const entry = { callbacks, listener }
  listening.set(signal, entry)
  signal.addEventListener('abort', listener, { once: true })
  return entry
}
