import { hash, randomBytes } from 'node:crypto'
import type { GrantNotice } from '../engine/host.js'
import { clientOf } from '../engine/requests.js'
import type { Addressing } from '../engine/requests.js'
import type { Abandonment } from '../holding/abandonment.js'
import type { Background } from '../util/background.js'
import { monotonicMs } from '../util/clock.js'
import type { Waiter, WaiterTable } from './waiter-table.js'

/** What passing notifications on needs of the client. */
export interface NotificationDeps {
  readonly clientId: string
  readonly holds: { find(owner: string): { checkEviction(): void } | undefined }
  readonly waiters: WaiterTable
  readonly proofs: Proofs
  readonly looks: Looks
  readonly background: Background
}

/** What it needs of the session, which is opened with it. */
export interface SessionParts {
  readonly names: Addressing
  readonly abandonment: Abandonment
}

/**
 * Passes the engine's notifications on to the hold or acquisition that they are about. Anyone may have sent them: only a grant that
 * repeats the proof of its queue entry is believed, and all else has whoever it is about ask the store, at a bounded rate.
 */
export class Notifications {
  readonly #deps: NotificationDeps
  #session: SessionParts | undefined

  constructor(deps: NotificationDeps) {
    this.#deps = deps
  }

  /** Nothing is notified before the first command of the session. */
  begin(session: SessionParts): void {
    this.#session = session
  }

  granted(id: string, owner: string, notice: GrantNotice): void {
    const { clientId, holds, waiters, proofs } = this.#deps
    if (clientOf(owner) !== clientId || holds.find(owner)) return
    const isProven = notice.proof === proofs.of(owner) && isPlausible(notice)
    const waiter = waiters.find(owner)
    if (!waiter) {
      if (isProven) this.#abandon(id, owner, notice.leaseMs)
      return
    }
    // Never one that waits for something else: it would take what it was not given.
    if (waiter.address.id !== id) return
    if (!isProven || !waiter.granted?.(notice)) this.#wake(waiter)
  }

  revoked(owner: string): void {
    const { holds, waiters, looks } = this.#deps
    const subject = holds.find(owner) ?? waiters.find(owner)
    if (!subject) return
    // A waiter may have become a holder by the time it looks.
    looks.request(subject, () => {
      holds.find(owner)?.checkEviction()
      waiters.find(owner)?.revoked()
    })
  }

  /** Which generation opened is left to the store to say. */
  opened(id: string): void {
    const { waiters, looks } = this.#deps
    const [first] = waiters.waitingFor(id)
    if (!first) return
    looks.request(first, () => this.#lookAtLatch(id))
  }

  /** @param owner - the waiter whose turn it may be; the first one without */
  wake(id: string, owner?: string): void {
    const { waiters } = this.#deps
    if (owner === undefined) {
      for (const waiter of waiters.nextFor(id)) this.#wake(waiter)
      return
    }
    // One that gave up has left the queue, or is about to.
    const waiter = waiters.find(owner)
    if (waiter?.address.id === id) this.#wake(waiter)
  }

  /** Something about this object may have been missed, or a latch is gone. */
  missed(id: string): void {
    const waiting = this.#deps.waiters.waitingFor(id)
    if (waiting[0]?.target.kind === 'latch') {
      this.opened(id)
      return
    }
    this.#deps.waiters.distrust(waiting)
    for (const waiter of waiting) this.#wake(waiter)
  }

  #wake(waiter: Waiter): void {
    this.#deps.looks.request(waiter, () => waiter.wake())
  }

  /** All that wait for the latch look together; a request in flight may have come before the opening. */
  #lookAtLatch(id: string): void {
    const { waiters, background } = this.#deps
    const waiting = waiters.waitingFor(id)
    for (const waiter of waiting) if (!waiter.isQueued) waiter.wake()
    const queued = waiting.filter(({ isQueued }) => isQueued)
    if (!waiters.refreshLatches || queued.length === 0) return
    const looked = waiters.refreshLatches(queued).catch((error: unknown) => {
      for (const waiter of queued) waiter.wake()
      throw error
    })
    background.run(looked)
  }

  /** No one waits under this owner any more: what the store still has of it would only keep others out. */
  #abandon(id: string, owner: string, leaseMs: number): void {
    const address = this.#session?.names.resolve(id)
    // An address does not say what kind of object it is.
    if (address && this.#deps.looks.take())
      this.#session?.abandonment.abandon({ address, title: address.name, owner, inDoubt: false, leaseMs })
  }
}

/** How far ahead of the store's clock a fencing token may be, microseconds: a day. */
const tokenLeadUs = 86_400_000_000

/** Whether the numbers of a notice may be a store's. */
const isPlausible = ({ token, leaseMs, serverUs }: GrantNotice): boolean =>
  Number.isSafeInteger(token) &&
  Number.isSafeInteger(leaseMs) &&
  (serverUs === undefined || (Number.isSafeInteger(serverUs) && token <= serverUs + tokenLeadUs))

/** 96 bits: whoever guesses has as many tries as there are messages. */
const proofLength = 16

/**
 * What the notification of a grant has to repeat. Each owner's is derived from a secret of this client and store, so it costs no
 * memory per waiter, and that of an owner whose wait is over can still be checked.
 */
export class Proofs {
  readonly #secret = randomBytes(24).toString('base64url')

  /** The proof of one owner; others than the store and this client learn it with the grant at the earliest. */
  of(owner: string): string {
    // Truncated, so that it cannot be extended to that of a longer text.
    return hash('sha256', `${this.#secret} ${owner}`, 'base64url').slice(0, proofLength)
  }
}

/** Each may look once in this time, however many messages ask for it. */
const lookEveryMs = 1_000

/** How many more looks a client has per second, and at once, for all that it waits for or holds. */
const moreLooksPerSecond = 200

/**
 * Bounds how often messages that prove nothing make this client ask the store. Anyone may publish, so at worst each waiter and
 * each hold asks once a second, and all together `moreLooksPerSecond` times more. A look beyond that is postponed, not dropped.
 *
 * A look that finds that something has happened does not count: beside Redisson's clients a lock may change hands a thousand times a
 * second, and a waiter whose turn is announced and postponed loses it.
 */
export class Looks {
  readonly #lookedAt = new WeakMap<object, number>()
  readonly #tookMore = new WeakSet()
  readonly #postponed = new Map<object, NodeJS.Timeout>()
  #more = moreLooksPerSecond
  #refilledAt = monotonicMs()

  /** Runs `look` now, or as soon as the subject may look again. One that is postponed stands for all that follow it. */
  request(subject: object, look: () => void): void {
    if (this.#postponed.has(subject)) return
    const lookedAt = this.#lookedAt.get(subject) ?? -Infinity
    const inMs = Math.ceil(lookedAt + lookEveryMs - monotonicMs())
    if (inMs <= 0) {
      this.#look(subject, look)
      return
    }
    if (this.take()) {
      this.#tookMore.add(subject)
      this.#look(subject, look)
      return
    }
    const timer = setTimeout(() => {
      this.#postponed.delete(subject)
      this.#look(subject, look)
    }, inMs)
    timer.unref()
    this.#postponed.set(subject, timer)
  }

  /** Whether one more look may be sent that is no subject's own. */
  take(): boolean {
    const now = monotonicMs()
    const refilled = ((now - this.#refilledAt) / 1_000) * moreLooksPerSecond
    this.#more = Math.min(moreLooksPerSecond, this.#more + refilled)
    this.#refilledAt = now
    if (this.#more < 1) return false
    this.#more--
    return true
  }

  /** The subject found that something had happened: its latest look does not count. */
  foundChange(subject: object): void {
    this.#lookedAt.delete(subject)
    if (this.#tookMore.delete(subject)) this.#more = Math.min(moreLooksPerSecond, this.#more + 1)
  }

  close(): void {
    for (const timer of this.#postponed.values()) clearTimeout(timer)
    this.#postponed.clear()
  }

  #look(subject: object, look: () => void): void {
    this.#lookedAt.set(subject, monotonicMs())
    look()
  }
}
