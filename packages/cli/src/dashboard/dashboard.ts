import { InvalidArgumentError } from '@holdfast/core'
import { recordIn, type AuditEntry } from './audit.js'
import { evict, readEviction } from './evict.js'
import { RefusedRequest, type Exchange, type Reply } from './http/exchange.js'
import { exchangeOfFetch, responseOf } from './http/fetch-adapter.js'
import { exchangeOfNode, replyToNode } from './http/node-adapter.js'
import type { NodeRequest, NodeResponse } from './http/node-http.js'
import { asset } from './http/pages.js'
import { jsonReply, refusal, reply } from './http/replies.js'
import { refuseOtherSites, requireJson, requireSameOrigin } from './http/same-origin.js'
import { nameOf } from './http/target.js'
import { Objects } from './objects.js'
import { resolveOptions, type DashboardOptions, type ResolvedOptions } from './options.js'
import type { EvictionReply, Named } from './shared/payloads.js'

/** Each costs the store a few commands, and a page asks for one at a time. */
const mostReadings = 20

/** What the page asks for; everything else is one of its files. */
const dataNames: ReadonlySet<string> = new Set(['list', 'named'])

/** A web page that shows the locks of one store, as a handler for HTTP servers. Made by `createDashboard`. */
export class Dashboard {
  readonly #options: ResolvedOptions
  readonly #objects: Objects
  #readings = 0

  /** @internal Dashboards come from `createDashboard`. */
  constructor(options: DashboardOptions) {
    this.#options = resolveOptions(options)
    this.#objects = new Objects(this.#options.holdfast)
  }

  /**
   * Handles a request in the form of the Fetch API: for Hono, Bun, Deno and others. Bound: may be handed over as it is.
   * Never rejects.
   */
  readonly fetch = async (request: Request): Promise<Response> =>
    responseOf(await this.#answer(exchangeOfFetch(request)), request.method !== 'HEAD')

  /**
   * Handles a request of Node's `http`: for Express, Koa, NestJS, Fastify and others. Bound: may be handed over as it is.
   * It answers every request, and throws nothing.
   */
  readonly node = (request: NodeRequest, response: NodeResponse): void => {
    this.#answer(exchangeOfNode(request))
      .then((answer) => replyToNode(response, answer, request.method !== 'HEAD'))
      .catch(() => response.destroy())
  }

  async #answer(exchange: Exchange): Promise<Reply> {
    try {
      return this.#options.allowedHosts?.refusal(exchange) ?? (await this.#route(exchange))
    } catch (error) {
      if (error instanceof RefusedRequest) return refusal(error.status, error.message)
      if (error instanceof InvalidArgumentError) return refusal(400, error.message)
      return refusal(502, error instanceof Error ? error.message : String(error))
    }
  }

  async #route(exchange: Exchange): Promise<Reply> {
    const name = nameOf(exchange.path)
    if (name === 'evict') return this.#evict(exchange)
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
      return refusal(405, `${exchange.method} is not possible here.`, { allow: 'GET, HEAD' })
    }
    if (dataNames.has(name)) refuseOtherSites(exchange)
    if (!(await this.#authorize(exchange, { type: 'view' }))) {
      throw new RefusedRequest(403, 'You may not see this dashboard.')
    }
    if (name === 'list') return jsonReply(await this.#objects.list())
    if (name === 'named') return jsonReply(await this.#named(exchange.query.get('name') ?? ''))
    return page(name, exchange)
  }

  async #named(name: string): Promise<Named> {
    if (this.#readings >= mostReadings) {
      throw new RefusedRequest(
        429,
        `${mostReadings} pages read a lock just now, which is the most at a time. Try again in a second.`,
      )
    }
    this.#readings += 1
    try {
      return { name, isReadOnly: this.#options.isReadOnly, objects: await this.#objects.read(name) }
    } finally {
      this.#readings -= 1
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

/** Creates the handler of a web page that shows the locks of one store. Sends nothing to the store unless a page asks. */
export const createDashboard = (options: DashboardOptions): Dashboard => new Dashboard(options)

/** A file of the page. Its addresses are relative, so the page itself needs one that ends in a slash. */
function page(name: string, exchange: Exchange): Reply {
  const file = asset(name, exchange)
  if (file) return file
  if (name.includes('.')) return refusal(404, `There is no file ${name}.`)
  return reply(308, 'text/plain', '', { location: `./${name}/${queryString(exchange)}` })
}

const queryString = ({ query }: Exchange): string => (query.size === 0 ? '' : `?${String(query)}`)
