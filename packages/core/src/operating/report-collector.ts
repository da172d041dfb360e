import { nanoid } from 'nanoid'
import type { Address } from '../engine/requests.js'
import { ClosedError, UnavailableError } from '../errors/errors.js'
import type { StoreClient } from '../store-client.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { textOf } from './messages.js'
import type { Answer, ClientReport, Question } from './messages.js'
import type { Reporter } from './reporter.js'

/** Which clients are asked, and for what. */
export interface Collection {
  readonly clientIds: readonly string[]
  readonly name?: string | undefined
  readonly withinMs: number
  readonly spreadMs: number
}

/** Reports that are being collected. */
interface PendingCollection {
  /** Those whose reports are still to come. */
  readonly missing: Set<string>
  readonly reports: ClientReport[]
  /** No more reports are awaited. */
  end(error?: ClosedError): void
}

/** How many clients one step asks, so that it holds up the store for well under a millisecond. */
const askedAtOnce = 100

/** Asks clients for reports, and collects what they send. */
export class ReportCollector {
  readonly #store: StoreClient
  readonly #reporter: Reporter
  readonly #pending = new Map<string, PendingCollection>()
  #isClosed = false

  /** @param reporter - of this same client */
  constructor(store: StoreClient, reporter: Reporter) {
    this.#store = store
    this.#reporter = reporter
  }

  /**
   * The reports that came in time. Resolves as soon as all clients have reported that the question reached.
   *
   * @param address - any object: it only decides where in the store to subscribe
   */
  async ask(call: Collection, address: Address): Promise<ClientReport[]> {
    if (this.#isClosed) throw closed()
    const { clientId, inbox, session } = this.#store
    const endAt = monotonicMs() + call.withinMs
    const others = new Set(call.clientIds)
    const own = others.delete(clientId) ? [this.#reporter.report(call.name)] : []
    // Without an operator nobody else can be asked.
    if (others.size === 0 || !session.operator) return own
    if ((await withTimeout(inbox.subscribe(address), call.withinMs)) === timedOut)
      throw this.#notSubscribed(call)
    const withinMs = Math.max(0, endAt - monotonicMs())
    const spreadMs = Math.min(call.spreadMs, Math.floor(withinMs / 2))
    return [...own, ...(await this.#askOthers({ ...call, withinMs, spreadMs }, others))]
  }

  /**
   * Takes a report. Anyone may publish one. The id, which only those know that were asked, is the proof that it is no stranger's; it
   * is none against another client that was asked.
   */
  reported({ id, report }: Answer): void {
    const pending = this.#pending.get(id)
    if (!pending?.missing.has(report.clientId)) return
    pending.reports.push(report)
    this.#unneeded(pending, [report.clientId])
  }

  /** Ends whatever is being collected. */
  close(): void {
    this.#isClosed = true
    for (const pending of this.#pending.values()) pending.end(closed())
  }

  async #askOthers(call: Collection, missing: Set<string>): Promise<ClientReport[]> {
    if (this.#isClosed) throw closed()
    const id = nanoid()
    const reports: ClientReport[] = []
    let timer: NodeJS.Timeout | undefined
    const ended = new Promise<void>((resolve, reject) => {
      const end = (error?: ClosedError): void => {
        if (error) reject(error)
        else resolve()
      }
      this.#pending.set(id, { missing, reports, end })
      timer = setTimeout(end, call.withinMs)
    })
    const sent = this.#send(id, call, [...missing])
    // Each may fail, or end, before the other.
    for (const one of [ended, sent]) one.catch(() => undefined)
    try {
      await Promise.race([
        ended,
        sent.then(
          () => ended,
          (error: unknown) => onTheirWay(ended, error),
        ),
      ])
      return reports
    } finally {
      clearTimeout(timer)
      this.#pending.delete(id)
    }
  }

  async #send(id: string, { name, spreadMs }: Collection, clientIds: readonly string[]): Promise<void> {
    const { session, clientId: from } = this.#store
    const content: Question = { id, from, name, spreadMs }
    const text = textOf({ kind: 'ask', content })
    for (let i = 0; i < clientIds.length; i += askedAtOnce) {
      const asked = clientIds.slice(i, i + askedAtOnce)
      const reached = (await session.operator?.send(asked, text)) ?? []
      const pending = this.#pending.get(id)
      if (!pending) return
      const gone = asked.filter((_, n) => reached[n] === false)
      this.#unneeded(pending, gone)
    }
  }

  #notSubscribed({ withinMs }: Collection): UnavailableError {
    const text = `no client could be asked within ${withinMs} ms, since this one receives no notifications now`
    return new UnavailableError(text, { engine: this.#store.engine.name })
  }

  #unneeded(pending: PendingCollection, clientIds: readonly string[]): void {
    for (const clientId of clientIds) pending.missing.delete(clientId)
    if (pending.missing.size === 0) pending.end()
  }
}

/** A question whose acknowledgement was lost may have arrived, and its reports with the failure. */
async function onTheirWay(ended: Promise<void>, error: unknown): Promise<void> {
  if (!(error instanceof UnavailableError) || (await withTimeout(ended, lateMs)) === timedOut) throw error
}

const lateMs = 100

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')
