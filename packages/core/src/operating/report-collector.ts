import { nanoid } from 'nanoid'
import type { Address } from '../engine/requests.js'
import type { Inbox } from '../engine/session.js'
import type { OperatorSession } from '../engine/operator.js'
import { ClosedError, UnavailableError } from '../errors/errors.js'
import { monotonicMs } from '../util/clock.js'
import { timedOut, withTimeout } from '../util/timeouts.js'
import { mostPagesOf, textOf } from './messages.js'
import type { ClientReport, Question, ReportHead, ReportPage } from './messages.js'

/** Which clients are asked, and for what. */
export interface Collection {
  readonly clientIds: readonly string[]
  readonly limit: number
  readonly name?: string | undefined
  readonly withinMs: number
  readonly spreadMs: number
}

/** What collecting reports needs of the client. */
export interface ReportCollectorDeps {
  readonly clientId: string
  /** Its name, for errors. */
  readonly engine: string
  readonly operator: OperatorSession | undefined
  readonly inbox: Pick<Inbox, 'subscribe'>
  /** The report of this same client. */
  report(question: Pick<Question, 'limit' | 'name'>): Promise<ClientReport>
}

/** Reports that are being collected. */
interface PendingCollection {
  /** Those whose reports are still to come. */
  readonly missing: Set<string>
  /** By client and number: those of reports of which others are still to come. */
  readonly pages: Map<string, Map<number, ReportPage>>
  /** No report has more. */
  readonly mostPages: number
  readonly reports: ClientReport[]
  /** No more reports are awaited. */
  end(error?: ClosedError): void
}

/** How many clients one step asks, so that it holds up the store for well under a millisecond. */
const askedAtOnce = 100

/** Asks clients for reports, and puts together what they send. */
export class ReportCollector {
  readonly #deps: ReportCollectorDeps
  readonly #pending = new Map<string, PendingCollection>()
  #isClosed = false

  constructor(deps: ReportCollectorDeps) {
    this.#deps = deps
  }

  /**
   * The reports that came in time. Resolves as soon as all clients have reported that the question reached.
   *
   * @param address - any object: it only decides where in the store to subscribe
   */
  async ask(call: Collection, address: Address): Promise<ClientReport[]> {
    if (this.#isClosed) throw closed()
    const { clientId, operator, inbox } = this.#deps
    const endAt = monotonicMs() + call.withinMs
    const others = new Set(call.clientIds)
    const own = others.delete(clientId) ? [await this.#deps.report(call)] : []
    // Without an operator nobody else can be asked.
    if (others.size === 0 || !operator) return own
    if ((await withTimeout(inbox.subscribe(address), call.withinMs)) === timedOut)
      throw this.#notSubscribed(call)
    const withinMs = Math.max(0, endAt - monotonicMs())
    const spreadMs = Math.min(call.spreadMs, Math.floor(withinMs / 2))
    return [...own, ...(await this.#askOthers({ ...call, withinMs, spreadMs }, others))]
  }

  /**
   * Takes a part of a report. Anyone may publish one. The id, which only those know that were asked, is the proof that it is no
   * stranger's; it is none against another client that was asked.
   */
  reported(page: ReportPage): void {
    const pending = this.#pending.get(page.id)
    const { clientId } = page
    if (!pending?.missing.has(clientId) || page.page >= pending.mostPages) return
    const pages = pending.pages.get(clientId) ?? new Map<number, ReportPage>()
    pending.pages.set(clientId, pages.set(page.page, page))
    const first = pages.get(0)
    if (!first || pages.size < first.pages) return
    pending.pages.delete(clientId)
    const report = assemble([...pages.values()])
    if (!report) return
    pending.reports.push(report)
    this.#unneeded(pending, [clientId])
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
      const mostPages = mostPagesOf(call.limit)
      this.#pending.set(id, { missing, pages: new Map(), mostPages, reports, end })
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

  async #send(
    id: string,
    { limit, name, spreadMs }: Collection,
    clientIds: readonly string[],
  ): Promise<void> {
    const { operator, clientId: from } = this.#deps
    const text = textOf({ kind: 'ask', content: { id, from, limit, name, spreadMs } })
    for (let i = 0; i < clientIds.length; i += askedAtOnce) {
      const asked = clientIds.slice(i, i + askedAtOnce)
      const reached = (await operator?.send(asked, text)) ?? []
      const pending = this.#pending.get(id)
      if (!pending) return
      const gone = asked.filter((_, n) => reached[n] === false)
      this.#unneeded(pending, gone)
    }
  }

  #notSubscribed({ withinMs }: Collection): UnavailableError {
    const { engine } = this.#deps
    const text = `no client could be asked within ${withinMs} ms, since this one receives no notifications now`
    return new UnavailableError(text, { engine })
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

/** `null` if none has the head. */
function assemble(pages: readonly ReportPage[]): ClientReport | null {
  const sorted = [...pages].sort((a, b) => a.page - b.page)
  const [first] = sorted
  if (!first?.head) return null
  const { client, ...head }: ReportHead = first.head
  return {
    ...head,
    client: { ...client, startedAt: new Date(client.startedAt) },
    holds: sorted.flatMap(({ holds }) => holds),
    queue: sorted.flatMap(({ queue }) => queue),
    losses: sorted.flatMap(({ losses }) => losses),
  }
}
