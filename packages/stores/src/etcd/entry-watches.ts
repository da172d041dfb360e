import type { Entry } from '../sessions/index.js'
import { factsOf, madeOf, watchFrom } from './entries.js'
import type { Requests } from './requests.js'
import type { Watches } from './watches.js'
import { rangeOfKey, type KeyValue } from './wire/kv.js'
import type { WatchRange } from './wire/watch.js'

/** Watches of entries ahead. Each calls back once. */
export class EntryWatches {
  readonly #watches: Watches
  readonly #requests: Requests

  constructor(watches: Watches, requests: Requests) {
    this.#watches = watches
    this.#requests = requests
  }

  whenGone(entry: Entry, callback: () => void, timeoutMs: number): () => void {
    const isGone = (found: KeyValue | undefined): boolean => found === undefined
    return this.#until(entry, isGone, { callback, timeoutMs, without: 'puts' })
  }

  whenMarked(entry: Entry, callback: () => void, timeoutMs: number): () => void {
    const isMarked = (found: KeyValue | undefined): boolean => !found || factsOf(found.value).isMarked
    return this.#until(entry, isMarked, { callback, timeoutMs })
  }

  #until(
    entry: Entry,
    isOver: (found: KeyValue | undefined) => boolean,
    {
      callback,
      timeoutMs,
      without,
    }: Pick<WatchRange, 'without'> & { callback: () => void; timeoutMs: number },
  ): () => void {
    const { key, createdAt } = madeOf(entry)
    let isStopped = false
    const stop = (): void => {
      isStopped = true
      unwatch()
    }
    const fire = (): void => {
      if (isStopped) return
      stop()
      callback()
    }
    const look = async (): Promise<void> => {
      const { keys } = await this.#requests.range(rangeOfKey(key), timeoutMs)
      if (isOver(keys.find((each) => each.createdAt === createdAt))) fire()
    }
    const unwatch = this.#watches.add(
      { key, without },
      watchFrom(entry),
      (what) => {
        if (what === 'lost' || isOver(what.isDeletion ? undefined : what.entry)) fire()
      },
      // If the read fails, call back anyway: the waiter then reads the queue itself.
      () => void look().catch(fire),
    )
    return stop
  }
}
