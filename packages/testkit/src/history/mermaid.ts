import type { HistoryEvent } from './event.js'
import { inOrder } from './grouping.js'
import { holdsOf, type Hold } from './holds.js'
import { rowsOf, type Row } from './lanes.js'

/**
 * Draws a short history as a Mermaid `sequenceDiagram` between its processes and Redis.
 *
 * Two runs of one schedule yield the same text: it contains no times and no owners, and tokens are numbered from 1 by
 * size. A hold is an activation bar from its first entry until it ends; `confirmed` events and counts that agree
 * are not drawn.
 */
export function toMermaid(events: readonly HistoryEvent[]): string {
  const ordered = inOrder(events)
  const holds = holdsOf(ordered)
  const diagram = new Diagram(ordered)
  const stretches = holds.flatMap((hold) => hold.live.map((stretch) => ({ hold, stretch })))
  const live = new Set<Hold>()
  for (const { event, ended } of repliesFirst(rowsOf(ordered, holds))) {
    if (event) diagram.draw(event)
    const over = stretches.filter(({ stretch }) => stretch.until !== null && stretch.until === event)
    for (const { hold } of ended ? [ended] : over) {
      if (ended) diagram.note([hold.process], 'its claim ends')
      diagram.end(hold)
      live.delete(hold)
    }
    for (const { hold } of stretches.filter(({ stretch }) => stretch.from === event)) {
      diagram.begin(hold)
      const rival = [...live].find(({ lock }) => lock === hold.lock)
      if (rival) diagram.note([rival.process, hold.process], 'both hold it')
      live.add(hold)
    }
  }
  return diagram.text
}

/** The reply to an unlock races the grant to the next waiter; it is drawn first in either case. */
function repliesFirst(rows: readonly Row[]): Row[] {
  const drawn: Row[] = []
  for (const row of rows) {
    const { event } = row
    let at = drawn.length
    while (drawn[at - 1]?.event?.kind === 'acquired') at -= 1
    const before = drawn[at - 1]?.event
    const isReply = event?.kind === 'released' && before?.kind === 'left' && before.call === event.call
    drawn.splice(isReply ? at : drawn.length, 0, row)
  }
  return drawn
}

/** The lines of a diagram. */
class Diagram {
  readonly #processes: readonly string[]
  readonly #hasManyLocks: boolean
  readonly #tokens: readonly number[]
  readonly #faults = new Map<string, { readonly name: string; readonly over: readonly string[] }>()
  readonly #lines: string[] = []

  constructor(events: readonly HistoryEvent[]) {
    this.#processes = [...new Set(events.flatMap((event) => ('process' in event ? [event.process] : [])))]
    this.#hasManyLocks = new Set(events.flatMap((event) => ('lock' in event ? [event.lock] : []))).size > 1
    const tokens = events.flatMap((event) => (event.kind === 'acquired' ? (event.token ?? []) : []))
    this.#tokens = [...new Set(tokens)].sort((a, b) => a - b)
  }

  get text(): string {
    const participants = this.#processes.map((process) =>
      idOf(process) === process
        ? `participant ${process}`
        : `participant ${idOf(process)} as ${plain(process)}`,
    )
    const lines = [...participants, `participant ${redis}`, ...this.#lines]
    return ['sequenceDiagram', ...lines.map((line) => `  ${line}`)].join('\n')
  }

  draw(event: HistoryEvent): void {
    switch (event.kind) {
      case 'requested':
        this.#send(event.process, `${event.waitMs === 0 ? 'try to lock' : 'lock'}${this.#of(event)}`)
        break
      case 'queued':
        this.#reply(event.process, `wait${this.#of(event)}`)
        break
      case 'acquired': {
        const count = event.count > 1 ? `, count ${event.count}` : ''
        const token = event.token === null ? '' : `, token ${this.#tokens.indexOf(event.token) + 1}`
        this.#reply(event.process, `held${this.#of(event)}${count}${token}`)
        break
      }
      case 'left':
        this.#send(event.process, `unlock${this.#of(event)}`)
        break
      case 'released':
        this.#reply(event.process, `unlocked${this.#of(event)}`)
        break
      case 'lost':
        this.note([event.process], `learns that it lost${this.#of(event) || ' it'}`)
        break
      case 'loss-found':
        this.note([event.process], `finds that it lost${this.#of(event) || ' it'}`)
        break
      case 'refused':
        this.note([event.process], `gives up${this.#of(event)}: ${event.reason}`)
        break
      case 'fault': {
        const over = event.disturbs === 'all' ? [...this.#processes, redis] : event.disturbs
        this.#faults.set(event.id, { name: event.fault, over: over.length > 0 ? over : [redis] })
        this.note(over.length > 0 ? over : [redis], event.fault)
        break
      }
      case 'healed': {
        const fault = this.#faults.get(event.id)
        if (fault) this.note(fault.over, `${fault.name}: over`)
        break
      }
      case 'killed':
        this.note([event.process], 'is killed')
        break
      case 'stalled':
        this.note([event.process], 'stalled')
        break
      case 'counted':
        if (event.atClient === event.atServer) break
        this.note([redis], `counts ${event.atServer}${this.#of(event)}, the client ${event.atClient}`)
        break
      case 'leftover':
        this.note([redis], `left behind${this.#of(event)}: ${event.what}`)
        break
      case 'lowered':
        this.#send(event.process, `keep ${event.permits}${this.#of(event)}`)
        break
      case 'resizing':
        this.#send(event.process, `resize${this.#of(event)} to ${event.size}`)
        break
      case 'resized':
        this.#reply(event.process, `resized${this.#of(event)}`)
        break
      case 'setting':
        this.#send(event.process, `set${this.#of(event)} to ${event.parties}`)
        break
      case 'set':
        this.#reply(event.process, `${event.isSet ? 'set' : 'already set'}${this.#of(event)}`)
        break
      case 'counting':
        this.#send(event.process, `count down${this.#of(event)}`)
        break
      case 'counted-down':
        this.#reply(event.process, `${event.left} left${this.#of(event)}`)
        break
      case 'deleting':
        this.#send(event.process, `delete${this.#of(event)}`)
        break
      case 'deleted':
        this.#reply(event.process, `deleted${this.#of(event)}`)
        break
      case 'passed':
        this.#reply(event.process, `open${this.#of(event)}`)
        break
      case 'sized':
      case 'confirmed':
    }
  }

  /** A note from the first to the last of these participants, in their order in the diagram. */
  note(over: readonly string[], text: string): void {
    const columns = [...this.#processes, redis].filter((name) => over.includes(name))
    const ends = [...new Set([columns.at(0), columns.at(-1)])].flatMap((name) => (name ? idOf(name) : []))
    if (ends.length > 0) this.#lines.push(`Note over ${ends.join(',')}: ${plain(text)}`)
  }

  begin({ process }: Hold): void {
    this.#lines.push(`activate ${idOf(process)}`)
  }

  end({ process }: Hold): void {
    this.#lines.push(`deactivate ${idOf(process)}`)
  }

  #send(process: string, text: string): void {
    this.#lines.push(`${idOf(process)}->>${redis}: ${plain(text)}`)
  }

  #reply(process: string, text: string): void {
    this.#lines.push(`${redis}-->>${idOf(process)}: ${plain(text)}`)
  }

  #of({ lock }: { readonly lock: string }): string {
    return this.#hasManyLocks ? ` ${lock}` : ''
  }
}

const redis = 'Redis'

/** Some words are reserved in Mermaid, such as `end`; single letters and names with digits are not. */
function idOf(name: string): string {
  const id = name.replaceAll(/\W/g, '_')
  return name === redis || /^\w$|\d/.test(id) ? id : `P_${id}`
}

/** Escapes what Mermaid would take for the end of a line or for an entity. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[#;]/g, (sign) => `#${sign.charCodeAt(0)};`)
}
