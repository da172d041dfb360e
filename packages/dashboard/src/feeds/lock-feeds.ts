import type { DashboardSource } from '../source.js'
import type { LockContent } from '../shared/payloads.js'
import type { ObjectType } from '../shared/views.js'
import { LockHistory } from './lock-history.js'
import { lockReader, type LockReading } from './lock-reading.js'
import { SharedPoll } from './shared-poll.js'

/** A poll costs the store about 1 ms. With this pause per object that is watched it spends less than 5 % of a core on all of them. */
const pausePerLockMs = 20

/** For so long a history is kept without a page, so that a reload, or a tab that was hidden, goes on with it. */
const keptMs = 60_000

interface Watched extends Pick<LockContent, 'object' | 'name'> {
  readonly history: LockHistory
  readonly read: () => Promise<LockReading>
}

interface Watch {
  readonly poll: SharedPoll<LockContent>
  /** Since when no page has watched it; `undefined` while one does. */
  idleSince: number | undefined
}

/** One poll per object that is watched, for all pages that watch it. */
export class LockFeeds {
  readonly #source: DashboardSource
  readonly #everyMs: number
  readonly #watches = new Map<string, Watch>()

  constructor(source: DashboardSource, everyMs: number) {
    this.#source = source
    this.#everyMs = everyMs
  }

  /** The pause between two polls: longer with more objects that are watched. */
  get everyMs(): number {
    const watched = [...this.#watches.values()].filter(({ idleSince }) => idleSince === undefined)
    return Math.max(this.#everyMs, watched.length * pausePerLockMs)
  }

  of(object: ObjectType, name: string): SharedPoll<LockContent> {
    this.#forgetOld()
    const key = `${object} ${name}`
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
      take: () => {
        watch.idleSince = undefined
        return this.#take({ object, name, read, history })
      },
      pauseMs: () => this.everyMs,
      idle: () => {
        watch.idleSince = performance.now()
      },
    })
    const watch: Watch = { poll, idleSince: undefined }
    return watch
  }

  #forgetOld(): void {
    const now = performance.now()
    for (const [key, { idleSince }] of this.#watches) {
      if (now - (idleSince ?? Infinity) > keptMs) this.#watches.delete(key)
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
