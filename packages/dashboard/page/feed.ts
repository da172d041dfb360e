import type { Content, Sample, Update } from '../src/shared/payloads.js'
import { pointsOf } from '../src/shared/points.js'
import { queryOf, type View } from '../src/shared/views.js'
import { isJson, reasonOf } from './replies.js'
import { authorization } from './token.js'
import { updatesOf } from './updates.js'

/** How the page is connected to its server. */
export type Connection =
  | { readonly is: 'connecting' }
  | { readonly is: 'live'; readonly via: 'stream' | 'polling' }
  /** The tab is hidden. */
  | { readonly is: 'paused' }
  | { readonly is: 'lost'; readonly since: number }
  /** The server answered, and will not show this. */
  | {
      readonly is: 'refused'
      readonly status: number
      readonly message: string
      /** And not something in front of it, such as a proxy with a sign-in. */
      readonly isByDashboard: boolean
    }

export interface FeedState {
  readonly connection: Connection
  /** The last one that arrived. */
  readonly update: Update | null
  readonly samples: readonly Sample[]
}

/** Some proxies hold a stream back until it ends: without an update in this time the page polls. */
const firstUpdateWithinMs = 8_000
/** A connection that breaks without a word looks like one on which nothing happens: this long after an update is due the page asks. */
const updateOverdueMs = 8_000
/** Twice what the server waits for a store that is slow. */
const answerWithinMs = 15_000
const retryAfterMs = 2_000
const retryRefusedAfterMs = 10_000
/** As long as the server keeps them. */
const samplesKeptMs = 5 * 60_000
const queueLengthsKeptMs = 10 * 60_000

/**
 * Updates of one view, as a stream, or by polling where streams do not get through. Closed while the tab is hidden: browsers allow
 * six connections per server, and hidden tabs would use them up.
 *
 * | State    | What is true in it                     | What leaves it                                                    |
 * | -------- | -------------------------------------- | ----------------------------------------------------------------- |
 * | paused   | the tab is hidden; no connection       | it is shown: streaming, or polling if that has proved necessary   |
 * | streaming| a stream is being read                 | its end, an error, or no update in time: polling once             |
 * | polling  | a request is in flight                 | success: streaming if streams work here, else waiting; failure, or no answer in time: waiting |
 * | waiting  | a timer runs to the next request       | the timer: polling                                                |
 */
export class Feed {
  readonly #query: string
  readonly #changed: (state: FeedState) => void
  #state: FeedState = { connection: { is: 'connecting' }, update: null, samples: [] }
  #timer: ReturnType<typeof setTimeout> | undefined
  #request: AbortController | undefined
  /** When the server last answered, or was first asked. */
  #answeredAt = Date.now()
  /** How many streams in a row have ended without a single update although requests got through. */
  #fruitless = 0

  constructor(view: View, changed: (state: FeedState) => void) {
    this.#query = String(queryOf(view))
    this.#changed = changed
    document.addEventListener('visibilitychange', this.#follow)
    this.#follow()
  }

  close(): void {
    document.removeEventListener('visibilitychange', this.#follow)
    this.#disconnect()
  }

  readonly #follow = (): void => {
    this.#disconnect()
    if (document.hidden) this.#set({ connection: { is: 'paused' } })
    else if (this.#fruitless < 2) void this.#stream()
    else void this.#poll()
  }

  #disconnect(): void {
    clearTimeout(this.#timer)
    this.#request?.abort()
    this.#request = undefined
  }

  async #stream(): Promise<void> {
    const request = new AbortController()
    this.#request = request
    const giveUp = (): void => request.abort()
    this.#setTimer(giveUp, firstUpdateWithinMs)
    let isFruitless = true
    try {
      const response = await this.#get('events', request.signal)
      if (response.ok && response.body) {
        for await (const update of updatesOf(response.body)) {
          // Left meanwhile: the signal ends the stream, not what had arrived.
          if (this.#request !== request) return
          isFruitless = false
          this.#fruitless = 0
          this.#setTimer(giveUp, 2 * update.everyMs + updateOverdueMs)
          this.#take(update, 'stream')
        }
      }
    } catch {
      // As if it had ended.
    }
    // Hidden, closed or shown again meanwhile.
    if (this.#request !== request) return
    if (isFruitless) this.#fruitless += 1
    this.#disconnect()
    void this.#poll()
  }

  async #poll(): Promise<void> {
    const request = new AbortController()
    this.#request = request
    this.#setTimer(() => request.abort(), answerWithinMs)
    const { update: last, samples } = this.#state
    const after = pointsOf({ content: last?.content ?? null, samples }).at(-1)?.at ?? 0
    let waitMs = retryAfterMs
    try {
      const response = await this.#get('snapshot', request.signal, `&after=${after}`)
      if (response.ok && isJson(response)) {
        const update = (await response.json()) as Update
        this.#take(update, 'polling')
        waitMs = this.#fruitless < 2 ? 0 : update.everyMs
      } else if (response.status < 500) {
        this.#fruitless = 0
        this.#answeredAt = Date.now()
        const isByDashboard = isJson(response)
        const message = await reasonOf(response)
        this.#set({ connection: { is: 'refused', status: response.status, message, isByDashboard } })
        waitMs = retryRefusedAfterMs
      } else {
        this.#lost()
      }
    } catch {
      if (this.#request === request) this.#lost()
    }
    // Hidden, closed or shown again meanwhile.
    if (this.#request !== request) return
    this.#setTimer(this.#follow, waitMs)
  }

  #get(path: string, signal: AbortSignal, more = ''): Promise<Response> {
    return fetch(`${path}?${this.#query}${more}`, { signal, headers: authorization() })
  }

  #setTimer(run: () => void, afterMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(run, afterMs)
  }

  #lost(): void {
    this.#fruitless = 0
    const { connection } = this.#state
    if (connection.is !== 'lost') this.#set({ connection: { is: 'lost', since: this.#answeredAt } })
  }

  #take(update: Update, via: 'stream' | 'polling'): void {
    this.#answeredAt = Date.now()
    const { update: last, samples } = this.#state
    this.#set({
      connection: { is: 'live', via },
      update: { ...update, content: continued(last?.content ?? null, update) },
      samples: appended(samples, update.samples, update.at - samplesKeptMs),
    })
  }

  #set(change: Partial<FeedState>): void {
    this.#state = { ...this.#state, ...change }
    this.#changed(this.#state)
  }
}

function continued(before: Content | null, { at, content }: Update): Content | null {
  if (content?.page !== 'lock' || before?.page !== 'lock') return content
  const queueLengths = appended(before.queueLengths, content.queueLengths, at - queueLengthsKeptMs)
  return { ...content, queueLengths }
}

/** A stream that is opened again begins with all points. */
function appended<Point extends { readonly at: number }>(
  before: readonly Point[],
  added: readonly Point[],
  since: number,
): Point[] {
  const [first] = added
  return [...before.filter(({ at }) => (first === undefined || at < first.at) && at > since), ...added]
}
