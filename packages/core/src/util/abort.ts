import { setMaxListeners } from 'node:events'
import { ListNode, LinkedList } from './linked-list.js'

/** For a signal that applications get: however many listeners they add, Node is not to warn of a leak. */
export function abortController(): AbortController {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  return controller
}

/** A callback for an abort. */
class Waiting {
  readonly node: ListNode<Waiting> = new ListNode<Waiting>(this)

  constructor(readonly callback: () => void) {}
}

/** Lists, not Sets: a service-wide signal sees every wait of the service come and go. */
const listening = new WeakMap<
  AbortSignal,
  { readonly all: LinkedList<Waiting>; readonly listener: () => void }
>()

/**
 * Calls back when the signal aborts; returns a function that stops that.
 *
 * However many waits share a signal, it gets one listener, and none once they are over: Node warns of a leak when a
 * signal has more than ten.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const entry = listening.get(signal) ?? listen(signal)
  const waiting = new Waiting(callback)
  entry.all.add(waiting.node)
  return () => {
    entry.all.delete(waiting.node)
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
    for (const { node, callback } of all.toArray()) if (all.delete(node)) callback()
  }
  const entry = { all, listener }
  listening.set(signal, entry)
  signal.addEventListener('abort', listener, { once: true })
  return entry
}
