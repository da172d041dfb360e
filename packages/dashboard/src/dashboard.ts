import { InvalidArgumentError } from '@holdfast/core'
import { recordIn, type AuditEntry } from './audit.js'
import { Feeds } from './feeds/feeds.js'
import { lockReader } from './feeds/lock-reading.js'
import { evict, readEviction } from './evict.js'
import { findLocks } from './find-locks.js'
import { eventStream } from './http/event-stream.js'
import { RefusedRequest, type Exchange, type Reply } from './http/exchange.js'
import { exchangeOfFetch, responseOf } from './http/fetch-adapter.js'
import { exchangeOfNode, replyToNode } from './http/node-adapter.js'
import type { NodeRequest, NodeResponse } from './http/node-http.js'
import { asset } from './http/pages.js'
import { jsonReply, refusal, reply } from './http/replies.js'
import { refuseOtherSites, requireJson, requireSameOrigin } from './http/same-origin.js'
import { nameOf } from './http/target.js'
import { resolveOptions, type DashboardOptions, type ResolvedOptions } from './options.js'
import type { EvictionReply, Findings } from './shared/payloads.js'
import { viewOf, type View } from './shared/views.js'

/** Each takes at most 5 % of the store's time, and most users wait for one at a time. */
const mostSearches = 3
/** Each may be a megabyte behind, and a visible page has one. */
const mostStreams = 100

/** What the page asks for; everything else is one of its files. */
const dataNames: ReadonlySet<string> = new Set(['events', 'snapshot', 'find'])

/** A web page that shows the locks of one store, as a handler for HTTP servers. Made by `createDashboard`. */
export class Dashboard {
  readonly #options: ResolvedOptions
  readonly #feeds: Feeds
  /** What ends each open stream. */
  readonly #streams = new Set<() => void>()
  #searches = 0
  #isClosed = false

  /** @internal Dashboards come from `createDashboard`. */
  constructor(options: DashboardOptions) {
    this.#options = resolveOptions(options)
    this.#feeds = new Feeds(this.#options.holdfast, this.#options)
  }

  /**
   * Handles a request in the form of the Fetch API: for Hono, Bun, Deno and others. Bound: may be handed over as it is.
   * Never rejects.
   */
  readonly fetch = async (request: Request): Promise<Response> => {
    const answer = await this.#answer(exchangeOfFetch(request), request.signal)
    return responseOf(answer, request.method !== 'HEAD', request.signal)
  }

  /**
   * Handles a request of Node's `http`: for Express, Koa, NestJS, Fastify and others. Bound: may be handed over as it is.
   * It answers every request, and throws nothing.
   */
  readonly node = (request: NodeRequest, response: NodeResponse): void => {
    const left = new AbortController()
    response.once('close', () => left.abort())
    this.#answer(exchangeOfNode(request), left.signal)
      .then((answer) => replyToNode(response, answer, request.method !== 'HEAD'))
      .catch(() => response.destroy())
  }

  /**
   * Ends all open streams and everything that is sent for them; later requests get status 503. Leaves the client open. May be
   * called twice.
   */
  close(): void {
    this.#isClosed = true
    this.#feeds.close()
    for (const end of [...this.#streams]) end()
  }

  async #answer(exchange: Exchange, left: AbortSignal): Promise<Reply> {
    try {
      const refused = this.#options.allowedHosts?.refusal(exchange)
      if (refused) return refused
      this.#requireOpen()
      return await this.#route(exchange, left)
    } catch (error) {
      if (error instanceof RefusedRequest) return refusal(error.status, error.message)
      if (error instanceof InvalidArgumentError) return refusal(400, error.message)
      return refusal(502, error instanceof Error ? error.message : String(error))
    }
  }

  #requireOpen(): void {
    if (this.#isClosed) throw new RefusedRequest(503, 'The dashboard is closed.')
  }

  async #route(exchange: Exchange, left: AbortSignal): Promise<Reply> {
    const name = nameOf(exchange.path)
    if (name === 'evict') return this.#evict(exchange)
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      return refusal(405, `${exchange.method} is not possible here.`, { allow: 'GET, HEAD' })
    }
    if (dataNames.has(name)) refuseOtherSites(exchange)
    await this.#authorizeView(exchange)
    // It may have been closed while that was decided.
    this.#requireOpen()
    switch (name) {
      case 'events':
        return this.#stream(this.#requiredView(exchange))
      case 'snapshot': {
        const after = Number(exchange.query.get('after') ?? '')
        const update = await this.#feeds.read(
          this.#requiredView(exchange),
          Number.isFinite(after) ? after : 0,
        )
        this.#requireOpen()
        return jsonReply(update)
      }
      case 'find':
        return jsonReply(await this.#find(exchange.query.get('pattern') ?? '', left))
      default:
        return page(name, exchange)
    }
  }

  async #find(pattern: string, left: AbortSignal): Promise<Findings> {
    if (this.#searches >= mostSearches) {
      throw new RefusedRequest(
        429,
        `${mostSearches} searches are running, which is the most at a time. Try again when one has ended, in 10 seconds at most.`,
      )
    }
    this.#searches += 1
    try {
      return await findLocks(this.#options.holdfast, pattern, left)
    } finally {
      this.#searches -= 1
    }
  }

  async #authorizeView(exchange: Exchange): Promise<void> {
    if (!(await this.#authorize(exchange, { type: 'view' }))) {
      throw new RefusedRequest(403, 'You may not see this dashboard.')
    }
  }

  /** What `authorize` decides; `false` if it throws. */
  async #authorize(...args: Parameters<ResolvedOptions['authorize']>): Promise<string | boolean> {
    try {
      return await this.#options.authorize(...args)
    } catch {
      return false
    }
  }

  #requiredView({ query }: Exchange): View {
    const view = viewOf(query)
    if (!view) throw new RefusedRequest(400, 'There is no such page.')
    // Throws for a name that no lock can have.
    if (view.page === 'lock') lockReader(this.#options.holdfast, view.object, view.name)
    return view
  }

  #stream(view: View): Reply {
    if (this.#streams.size >= mostStreams) {
      throw new RefusedRequest(
        429,
        `${mostStreams} streams are open, which is the most at a time. Close or hide other pages, or ask for snapshots instead.`,
      )
    }
    this.#feeds.requireRoom(view)
    return eventStream((send, end) => {
      // Others may have come while this reply was on its way.
      if (this.#streams.size >= mostStreams || !this.#feeds.hasRoom(view)) {
        end()
        return () => undefined
      }
      const leave = this.#feeds.open(view, send, end)
      this.#streams.add(end)
      return () => {
        this.#streams.delete(end)
        leave()
      }
    })
  }

  async #evict(exchange: Exchange): Promise<Reply> {
    if (exchange.method !== 'POST') {
      return refusal(405, 'Evicting takes a POST.', { allow: 'POST' })
    }
    requireSameOrigin(exchange)
    requireJson(exchange)
    if (this.#options.isReadOnly) throw new RefusedRequest(403, 'This dashboard is read-only.')
    const eviction = readEviction(await exchange.body())
    const { name, kind, owner } = eviction
    const allowed = await this.#authorize(exchange, { type: 'evict', name, kind, owner })
    const by = typeof allowed === 'string' && allowed !== '' ? allowed : null
    const audit = (outcome: AuditEntry['outcome'], more: Pick<AuditEntry, 'error'> = {}): Promise<void> =>
      recordIn(this.#options.audit, { at: new Date(), name, kind, owner, by, outcome, ...more })
    if (!allowed) {
      await audit('refused')
      throw new RefusedRequest(403, 'You may not evict this holder.')
    }
    let outcome: EvictionReply['outcome']
    try {
      outcome = (await evict(this.#options.holdfast, eviction, by)) ? 'evicted' : 'not-held'
    } catch (error) {
      await audit('failed', { error })
      throw error
    }
    await audit(outcome)
    return jsonReply({ outcome } satisfies EvictionReply)
  }
}

/** Creates the handler of a web page that shows the locks of one store. Sends nothing to the store unless a page is open. */
export const createDashboard = (options: DashboardOptions): Dashboard => new Dashboard(options)

/** A file of the page. Its addresses are relative, so the page itself needs one that ends in a slash. */
function page(name: string, exchange: Exchange): Reply {
  const file = asset(name, exchange)
  if (file) return file
  if (name.includes('.')) return refusal(404, `There is no file ${name}.`)
  return reply(308, 'text/plain', '', { location: `./${name}/${queryString(exchange)}` })
}

const queryString = ({ query }: Exchange): string => (query.size === 0 ? '' : `?${String(query)}`)
