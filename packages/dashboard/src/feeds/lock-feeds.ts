import type { DashboardSource } from '../source.js'
import type { LockContent } from '../shared/payloads.js'
import type { ObjectType } from '../shared/views.js'
import { LockHistory } from './lock-history.js'
import { lockReader, type LockReading } from './lock-reading.js'
import { SharedPoll, type StoreContact } from './shared-poll.js'

/** A poll costs the store about 1 ms. With this pause per object that is watched it spends less than 5 % of a core on all of them. */
const pausePerLockMs = 20
/** So that one viewer with many pages cannot make the polls of everyone rare: with these there is one every 4 s. */
export const mostWatched = 200
/** For so long a lock counts after its last page: whoever comes and goes cannot read more than that per pause, either. */
const countedMs = mostWatched * pausePerLockMs

/** For so long a history is kept without a page, so that a reload, or a tab that was hidden, goes on with it. */
const keptMs = 60_000
/** Histories, of locks that are watched and that were. */
const mostKept = 2 * mostWatched

interface Watched extends Pick<LockContent, 'object' | 'name'> {
  readonly history: LockHistory
  readonly read: () => Promise<LockReading>
}

interface Watch {
  readonly poll: SharedPoll<LockContent>
  /** When the last page left it, or it was made. */
  idleSince: number
}

/** One poll per object that is watched, for all pages that watch it. */
export class LockFeeds {
  readonly #source: DashboardSource
  readonly #everyMs: number
  readonly #contact: StoreContact
  readonly #watches = new Map<string, Watch>()

  constructor(source: DashboardSource, everyMs: number, contact: StoreContact) {
    this.#source = source
    this.#everyMs = everyMs
    this.#contact = contact
  }

  /** The pause between two polls: longer with more objects that are watched. */
  get everyMs(): number {
    return Math.max(this.#everyMs, this.#watched() * pausePerLockMs)
  }

  /** Whether one more page may watch this object. */
  hasRoom(object: ObjectType, name: string): boolean {
    const watch = this.#watches.get(keyOf(object, name))
    return (watch !== undefined && counts(watch)) || this.#watched() < mostWatched
  }

  of(object: ObjectType, name: string): SharedPoll<LockContent> {
    this.#forgetOld()
    const key = keyOf(object, name)
    const watch = this.#watches.get(key) ?? this.#watch(object, name)
    this.#watches.set(key, watch)
    return watch.poll
  }

  stop(): void {
    for (const { poll } of this.#watches.values()) poll.stop()
    this.#watches.clear()
  }

  #watch(object: ObjectType, name: string): Watch {
    const read = lockReader(this.#source, object, name)
    const history = new LockHistory()
    const poll = new SharedPoll({
      contact: this.#contact,
      take: () => this.#take({ object, name, read, history }),
      pauseMs: () => this.everyMs,
      idle: () => {
        watch.idleSince = performance.now()
      },
    })
    const watch: Watch = { poll, idleSince: performance.now() }
    return watch
  }

  #watched(): number {
    let count = 0
    for (const watch of this.#watches.values()) if (counts(watch)) count += 1
    return count
  }

  #forgetOld(): void {
    const now = performance.now()
    for (const [key, watch] of this.#watches) {
      if (counts(watch)) continue
      if (this.#watches.size > mostKept || now - watch.idleSince > keptMs) this.#watches.delete(key)
    }
  }

  async #take({ object, name, read, history }: Watched): Promise<LockContent> {
    const reading = await read()
    history.add(Date.now(), reading)
    return {
      page: 'lock',
      name,
      object,
      ...reading,
      watchedSince: history.watchedSince,
      history: history.entries,
      queueLengths: history.queueLengths,
    }
  }
}

const keyOf = (object: ObjectType, name: string): string => `${object} ${name}`

const counts = ({ poll, idleSince }: Watch): boolean =>
  !poll.isIdle || performance.now() - idleSince < countedMs
