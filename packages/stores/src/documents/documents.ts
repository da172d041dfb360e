import { setTimeout as pause } from 'node:timers/promises'
import { backoffMs, ClosedError, RefusedError, type NotALockReply } from '@holdfast/core/engine'
import { keyOf, type DocumentAddress } from './address.js'
import { decode, encode } from './codec.js'
import type { CoarseClock } from './coarse-clock.js'
import type { DocumentKind } from './document-kind.js'
import { stepOf, type Opened, type Step } from './step.js'
import type { DocumentSession, Snapshot } from './store.js'

/** What the documents of one client need of its session. */
export interface DocumentsDeps {
  /** Of the store. */
  readonly engine: string
  readonly maxBytes: number
  readonly clock: CoarseClock
  readonly session: Pick<DocumentSession, 'replace' | 'storeName'>
  readonly closing: AbortSignal
  read(key: string, timeoutMs: number): Promise<Snapshot>
  readonly now: () => number
  /** Runs something outside of all calls of the application. */
  readonly outsideAllCalls: (run: () => void) => void
}

/** How much of a document those that wait may take. The rest is for what holds it, and for what is given up. */
const waitersShare = 0.9

/** Between two attempts to replace a document that others replace, too. */
const conflictBounds = { firstMs: 2, longestMs: 50 }

/**
 * The documents of one kind, for one client. A step reads its document, changes it and replaces it, if nobody else has meanwhile. The
 * steps that wait while another is under way on the same document go together: one read and one replacement carry all of them.
 */
export class Documents<Content, Written> {
  readonly #kind: DocumentKind<Content, Written>
  readonly #deps: DocumentsDeps
  /** The steps that wait for their document, by the id of the object. */
  readonly #lines = new Map<string, Step<Content>[]>()

  constructor(kind: DocumentKind<Content, Written>, deps: DocumentsDeps) {
    this.#kind = kind
    this.#deps = deps
  }

  /** Runs a step on the document of this object. @param change - may run several times; the last one counts */
  change<Result>(
    address: DocumentAddress,
    timeoutMs: number,
    change: (document: Opened<Content>) => Result,
  ): Promise<Result | NotALockReply> {
    const { closing, session, engine, now, outsideAllCalls } = this.#deps
    if (closing.aborted) return Promise.reject(closed())
    const options = { timeoutMs, untilMs: now() + timeoutMs, storeName: session.storeName, engine }
    const { step, reply } = stepOf<Content, Result>(change, options)
    const line = this.#lines.get(address.id)
    if (line) {
      line.push(step)
    } else {
      const steps = [step]
      this.#lines.set(address.id, steps)
      outsideAllCalls(() => void this.#work(address, steps))
    }
    return reply
  }

  async #work(address: DocumentAddress, line: Step<Content>[]): Promise<void> {
    while (line.length > 0) {
      const batch = line.splice(0)
      await this.#carryOut(address, batch).catch((error: unknown) => {
        for (const step of batch) step.fail(error)
      })
    }
    this.#lines.delete(address.id)
  }

  /** Reads, changes and replaces a document, and starts over when another client was faster. */
  async #carryOut(address: DocumentAddress, batch: readonly Step<Content>[]): Promise<void> {
    const { closing, session, maxBytes, clock, now } = this.#deps
    const key = keyOf(address)
    for (let conflicts = 0; ;) {
      const steps = batch.filter(({ isOver }) => !isOver)
      if (steps.length === 0) return
      this.#assertOpen()
      const untilMs = Math.max(...steps.map((step) => step.untilMs))
      const leftMs = (): number => Math.max(1, Math.ceil(untilMs - now()))

      const snapshot = await this.#deps.read(key, leftMs())
      this.#assertOpen()
      const decoded = decode(this.#kind, key, snapshot.text)
      if (decoded.kind === 'not-a-lock') {
        for (const step of steps) step.refuse(decoded)
        return
      }
      const { carried, text, keepMs, effects } = this.#apply(address, decoded.content, snapshot, steps)
      const bytes = text === undefined ? 0 : Buffer.byteLength(text)
      if (bytes > maxBytes) {
        // One of them is what makes it too large: the others go without.
        if (carried.length === 1) throw tooLarge(address, bytes, maxBytes, this.#deps.engine)
        for (const step of carried)
          await this.#carryOut(address, [step]).catch((error: unknown) => step.fail(error))
        return
      }
      const isDone =
        text === undefined ||
        (await session.replace(key, text, snapshot.version, keepMs + clock.slackMs, leftMs()))
      this.#assertOpen()
      if (isDone) {
        for (const effect of effects) effect()
        for (const step of carried) step.succeed()
        return
      }
      conflicts += 1
      await pause(backoffMs(conflicts, conflictBounds), undefined, { signal: closing }).catch(() => undefined)
    }
  }

  /** What goes on beside closing, or comes after it, is not carried out, or is not said to be. */
  #assertOpen(): void {
    if (this.#deps.closing.aborted) throw closed()
  }

  /** What the steps make of a document. `text` is left out if they leave it as it is. */
  #apply(
    address: DocumentAddress,
    content: Content,
    { text: was, nowUs, incarnation, opensInMs = 0 }: Snapshot,
    steps: readonly Step<Content>[],
  ) {
    const kind = this.#kind
    kind.settle(content, nowUs)
    const settled = encode(kind, content)
    let bytes = Buffer.byteLength(settled)
    const room = Math.floor(this.#deps.maxBytes * waitersShare)
    const effects: (() => void)[] = []
    const document: Opened<Content> = {
      content,
      nowUs,
      incarnation,
      opensInMs,
      reserve: (more) => {
        if (bytes + more > room) throw tooLarge(address, bytes + more, room, this.#deps.engine)
        bytes += more
      },
      afterwards: (effect) => effects.push(effect),
    }
    const carried: Step<Content>[] = []
    for (const step of steps) {
      if (step.isOver) continue
      try {
        step.run(document)
        carried.push(step)
      } catch (error) {
        step.fail(error)
      }
    }
    const after = encode(kind, content)
    // What is due ends for whoever reads it next, just as it did here.
    const isSame = after === settled
    const isGone = kind.isEmpty(content)
    const text = isSame || (isGone && was === '') ? undefined : isGone ? '' : after
    const keepMs = Math.max(0, Math.ceil((kind.endUs(content) - nowUs) / 1_000))
    return { carried, text, keepMs, effects }
  }
}

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')

function tooLarge(
  { name, object }: DocumentAddress,
  bytes: number,
  limit: number,
  engine: string,
): RefusedError {
  const message =
    `${object} ${name}: its document would have ${bytes} bytes, and ${engine} takes ${limit}; ` +
    'have fewer wait for it or hold it at once (see maxWaiters), or let the store take larger ones'
  return new RefusedError(message, { lockName: name, engine })
}
