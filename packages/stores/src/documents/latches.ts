import { setTimeout as pause } from 'node:timers/promises'
import {
  ClosedError,
  isSet,
  UnavailableError,
  type Address,
  type CountDownRequest,
  type EngineHost,
  type LatchDeleteRequest,
  type LatchInspection,
  type LatchReply,
  type LatchSession,
  type LatchSetRequest,
  type LatchWait,
  type LatchWaitReply,
  type NotALockReply,
} from '@holdfast/core/engine'
import type { ObjectAddress } from './address.js'
import type { CoarseClock } from './coarse-clock.js'
import type { Documents } from './documents.js'
import type { WrittenLatch } from './kinds.js'
import { againMs } from './poll-pace.js'
import type { Opened } from './step.js'
import { latchSteps as steps, type LatchContext, type LatchRecord } from './steps/index.js'

/** What the latches of one client need of its session. */
export interface DocumentLatchesDeps {
  readonly host: EngineHost
  readonly engine: string
  readonly documents: Documents<LatchRecord, WrittenLatch>
  readonly clock: CoarseClock
  readonly closing: AbortSignal
  /** Between which bounds a waiter draws the time until it looks again, milliseconds, if there are few. */
  readonly pollMs: readonly [shortest: number, longest: number]
}

interface DocumentLatchWait extends LatchWait {
  readonly address: ObjectAddress
}

type Change<T> = (latch: LatchRecord, context: LatchContext) => T

/** Who looks again and again need not write each time, while this share of the time is left for which it is listed. */
const unwrittenShare = 0.5

/** How often a store that lost its data is asked whether it is open, at most. */
const askEveryMs = 250

/** The latches of one client. Those who wait find out by looking again, but for waiters of this client. */
export class DocumentLatches implements LatchSession {
  readonly #deps: DocumentLatchesDeps

  constructor(deps: DocumentLatchesDeps) {
    this.#deps = deps
  }

  /** A generation is drawn once those of lost data are certain to be smaller. */
  async set(
    address: ObjectAddress,
    request: LatchSetRequest,
    timeoutMs: number,
  ): Promise<LatchReply | NotALockReply> {
    const { host, documents, clock, closing, engine } = this.#deps
    // Longer by what a waiter that looks again leaves out.
    const keepMs = clock.atLeast(request.keepMs + host.watchdogTimeoutMs * unwrittenShare)
    const untilMs = host.now() + timeoutMs
    for (let leftMs = timeoutMs; leftMs > 0; leftMs = Math.ceil(untilMs - host.now())) {
      const reply = await documents.change(address, leftMs, (opened) =>
        opened.opensInMs > 0
          ? { kind: 'closed' as const, opensInMs: opened.opensInMs }
          : steps.set(opened.content, { ...request, keepMs }, this.#contextOf(address, opened)),
      )
      if (reply.kind !== 'closed') return reply
      await pause(Math.min(reply.opensInMs, leftMs, askEveryMs), undefined, { signal: closing }).catch(() => {
        throw new ClosedError('the Holdfast client is closed')
      })
    }
    throw new UnavailableError(
      `the store of latch ${address.name} lost its data lately, and has taken no count within ${timeoutMs} ms`,
      { engine },
    )
  }

  countDown(
    address: ObjectAddress,
    request: CountDownRequest,
    timeoutMs: number,
  ): Promise<LatchReply | NotALockReply> {
    return this.#step(address, timeoutMs, (latch, context) => steps.countDown(latch, request, context))
  }

  delete(
    address: ObjectAddress,
    request: LatchDeleteRequest,
    timeoutMs: number,
  ): Promise<LatchReply | NotALockReply> {
    const tombstoneMs = this.#deps.clock.atLeast(request.tombstoneMs)
    return this.#step(address, timeoutMs, (latch, context) =>
      steps.remove(latch, { ...request, tombstoneMs }, context),
    )
  }

  wait(waits: readonly DocumentLatchWait[], timeoutMs: number): Promise<readonly LatchWaitReply[]> {
    return Promise.all(waits.map((wait) => this.#wait(wait, timeoutMs)))
  }

  async inspect(address: ObjectAddress, limit: number): Promise<LatchInspection | NotALockReply> {
    const { host, documents, clock } = this.#deps
    return documents.change(address, host.commandTimeoutMs, ({ content, nowUs }) => {
      const found = steps.inspectLatch(content, limit, nowUs)
      if (!isSet(found.state)) return { ...found, ttlMs: clock.certainly(found.ttlMs) }
      const ttlMs = Math.max(0, found.ttlMs - host.watchdogTimeoutMs * unwrittenShare)
      return { ...found, ttlMs: clock.certainly(ttlMs) }
    })
  }

  #wait({ address, awaited, aliveMs }: DocumentLatchWait, timeoutMs: number): Promise<LatchWaitReply> {
    const { host, documents, clock } = this.#deps
    const { clientId } = host
    return documents.change(address, timeoutMs, ({ content: latch, nowUs }) => {
      const listedUntilUs = latch.waiters.get(clientId) ?? 0
      const { untilUs } = latch
      const keptMs = clock.atLeast(aliveMs)
      const reply = steps.wait(latch, clientId, awaited, keptMs, nowUs)
      if (latch.waiters.has(clientId) && listedUntilUs - nowUs > keptMs * 1_000 * unwrittenShare) {
        latch.waiters.set(clientId, listedUntilUs)
        latch.untilUs = untilUs
      }
      if (reply.kind !== 'closed') return reply
      const again = againMs(latch.waiters.size, this.#deps.pollMs, 'latch')
      return again === undefined ? reply : { ...reply, againMs: again }
    })
  }

  #step<T>(address: ObjectAddress, timeoutMs: number, change: Change<T>): Promise<T | NotALockReply> {
    return this.#deps.documents.change(address, timeoutMs, (opened) =>
      change(opened.content, this.#contextOf(address, opened)),
    )
  }

  #contextOf({ id }: Address, { nowUs, incarnation, afterwards }: Opened<LatchRecord>): LatchContext {
    const { host } = this.#deps
    return {
      nowUs,
      incarnation,
      notify(clientId, what, generation) {
        if (clientId !== host.clientId) return
        afterwards(() => (what === 'open' ? host.opened(id, generation) : host.missed(id)))
      },
    }
  }
}
