import type { HistoryEvent } from './event.js'
import { inOrder } from './grouping.js'
import type { Hold } from './holds.js'
import { rowsOf, type Row } from './rows.js'

/**
 * Draws a short history as a Mermaid `sequenceDiagram` between its processes and Redis.
 *
 * Two runs of one schedule yield the same text: it contains no times and no owners, and tokens are numbered from 1 by
 * size. A hold is an activation bar from its first entry until it ends; `confirmed` events and counts that agree
 * are not drawn.
 */
export function toMermaid(events: readonly HistoryEvent[]): string {
  const ordered = inOrder(events)
  const diagram = new Diagram(ordered)
  for (const { event, ended, over, began, live } of repliesFirst(rowsOf(ordered))) {
    if (event) diagram.draw(event)
    if (ended) diagram.note([ended.process], 'its claim ends')
    for (const hold of over) diagram.end(hold)
    for (const hold of began) {
      diagram.begin(hold)
      const rival = live.find((other) => other.lock === hold.lock && other !== hold)
      if (rival) diagram.note([rival.process, hold.process], 'both hold it')
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
    const line = this.#lineOf(event)
    if (line !== null) this.#lines.push(line)
  }

  /** Events of other objects than locks have none: only locks are drawn. */
  #lineOf(event: HistoryEvent): string | null {
    const of = 'lock' in event && this.#hasManyLocks ? ` ${event.lock}` : ''
    switch (event.kind) {
      case 'requested':
        return sent(event, `${event.waitMs === 0 ? 'try to lock' : 'lock'}${of}`)
      case 'queued':
        return replied(event, `wait${of}`)
      case 'acquired': {
        const count = event.count > 1 ? `, count ${event.count}` : ''
        const token = event.token === null ? '' : `, token ${this.#tokens.indexOf(event.token) + 1}`
        return replied(event, `held${of}${count}${token}`)
      }
      case 'left':
        return sent(event, `unlock${of}`)
      case 'released':
        return replied(event, `unlocked${of}`)
      case 'lost':
        return this.#noteOf([event.process], `learns that it lost${of || ' it'}`)
      case 'loss-found':
        return this.#noteOf([event.process], `finds that it lost${of || ' it'}`)
      case 'refused':
        return this.#noteOf([event.process], `gives up${of}: ${event.reason}`)
      case 'fault': {
        const disturbed = event.disturbs === 'all' ? [...this.#processes, redis] : event.disturbs
        const over = disturbed.length > 0 ? disturbed : [redis]
        this.#faults.set(event.id, { name: event.fault, over })
        return this.#noteOf(over, event.fault)
      }
      case 'healed': {
        const fault = this.#faults.get(event.id)
        return fault ? this.#noteOf(fault.over, `${fault.name}: over`) : null
      }
      case 'killed':
        return this.#noteOf([event.process], 'is killed')
      case 'stalled':
        return this.#noteOf([event.process], 'stalled')
      case 'disconnected':
        return this.#noteOf([event.process], 'disconnected')
      case 'counted':
        if (event.atClient === event.atServer) return null
        return this.#noteOf([redis], `counts ${event.atServer}${of}, the client ${event.atClient}`)
      case 'leftover':
        return this.#noteOf([redis], `left behind${of}: ${event.what}`)
      default:
        return null
    }
  }

  /** A note from the first to the last of these participants, in their order in the diagram. */
  note(over: readonly string[], text: string): void {
    const line = this.#noteOf(over, text)
    if (line !== null) this.#lines.push(line)
  }

  #noteOf(over: readonly string[], text: string): string | null {
    const columns = [...this.#processes, redis].filter((name) => over.includes(name))
    const ends = [...new Set([columns.at(0), columns.at(-1)])].flatMap((name) => (name ? idOf(name) : []))
    return ends.length > 0 ? `Note over ${ends.join(',')}: ${plain(text)}` : null
  }

  begin({ process }: Hold): void {
    this.#lines.push(`activate ${idOf(process)}`)
  }

  end({ process }: Hold): void {
    this.#lines.push(`deactivate ${idOf(process)}`)
  }
}

interface Participant {
  readonly process: string
}

const sent = ({ process }: Participant, text: string): string => `${idOf(process)}->>${redis}: ${plain(text)}`
const replied = ({ process }: Participant, text: string): string =>
  `${redis}-->>${idOf(process)}: ${plain(text)}`

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
