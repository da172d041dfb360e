import { Link, LinkedList } from './linked-list.js'

/** Somebody who wants to hear of an abort. */
class Waiting {
  readonly link: Link<Waiting> = new Link<Waiting>(this)

  constructor(readonly callback: () => void) {}
}

/** Lists and no Sets: a signal of a whole service sees every wait of it come and go. */
const listening = new WeakMap<
  AbortSignal,
  { readonly all: LinkedList<Waiting>; readonly listener: () => void }
>()

/**
 * Calls back when the signal aborts; answers with a function that stops that.
 *
 * However many waits share a signal, it gets one listener, and none once they are over: Node warns of a leak when a
 * signal has more than ten.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const entry = listening.get(signal) ?? listen(signal)
  const waiting = new Waiting(callback)
  entry.all.add(waiting.link)
  return () => {
    entry.all.delete(waiting.link)
    if (entry.all.size > 0 || listening.get(signal) !== entry) return
    listening.delete(signal)
    signal.removeEventListener('abort', entry.listener)
  }
}

function listen(signal: AbortSignal) {
  const all = new LinkedList<Waiting>()
  const listener = (): void => {
    listening.delete(signal)
    // One of them may end the wait of another.
    for (const { link, callback } of all.toArray()) if (all.delete(link)) callback()
  }
  const entry = { all, listener }
  listening.set(signal, entry)
  signal.addEventListener('abort', listener, { once: true })
  return entry
}
