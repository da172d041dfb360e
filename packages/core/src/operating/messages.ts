import { longestText } from '../engine/operator.js'
import type { ClientReport, HoldReport, LossReport, WaitReport } from './report.js'

/** What a client asks another one to report. */
export interface Question {
  readonly id: string
  /** The client that asks. */
  readonly from: string
  /** How many holds and how many waits, the oldest first. */
  readonly limit: number
  /** Only what concerns objects of this name. */
  readonly name?: string | undefined
  /** The report is to be sent at some instant within this time, milliseconds: many clients are asked at once. */
  readonly spreadMs: number
}

/** What a report says apart from its lists. */
export type ReportHead = Omit<ClientReport, 'holds' | 'queue' | 'losses' | 'client'> & {
  readonly client: Omit<ClientReport['client'], 'startedAt'> & { readonly startedAt: number }
}

/** A part of a report. Texts for clients are short, so a report may take several. */
export interface ReportPage {
  /** Of the question. */
  readonly id: string
  readonly clientId: string
  readonly page: number
  readonly pages: number
  /** In the first part. */
  readonly head?: ReportHead
  readonly holds: readonly HoldReport[]
  readonly queue: readonly WaitReport[]
  readonly losses: readonly LossReport[]
}

/** Says who is about to evict an owner. */
export interface EvictionNote {
  readonly owner: string
  readonly by: string
}

/** What one client says to another. */
export type Message =
  | { readonly kind: 'ask'; readonly content: Question }
  | { readonly kind: 'report'; readonly content: ReportPage }
  | { readonly kind: 'evicting'; readonly content: EvictionNote }

export const textOf = ({ kind, content }: Message): string => `${kind} ${JSON.stringify(content)}`

/** Splits a report into parts that each fit into one text. */
export function pagesOf(id: string, { client, holds, queue, losses, ...head }: ClientReport): ReportPage[] {
  const startedAt = client.startedAt.getTime()
  const label = client.label.slice(0, longestLabel)
  const first = { ...head, client: { ...client, label, startedAt } }
  const parts: { holds: HoldReport[]; queue: WaitReport[]; losses: LossReport[] }[] = []
  let leftBytes = 0
  const partFor = (item: unknown): (typeof parts)[number] => {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1
    let part = parts.at(-1)
    if (!part || bytes > leftBytes) {
      part = { holds: [], queue: [], losses: [] }
      const taken = frameBytes + (parts.length === 0 ? Buffer.byteLength(JSON.stringify(first)) : 0)
      parts.push(part)
      leftBytes = longestText - taken
      // A long name does not fit beside the head.
      if (bytes > leftBytes) return partFor(item)
    }
    leftBytes -= bytes
    return part
  }
  for (const hold of holds) partFor(hold).holds.push(hold)
  for (const wait of queue) partFor(wait).queue.push(wait)
  for (const loss of losses) partFor(loss).losses.push(loss)
  if (parts.length === 0) parts.push({ holds: [], queue: [], losses: [] })
  const { clientId } = head
  return parts.map((part, page) => ({
    id,
    clientId,
    page,
    pages: parts.length,
    ...(page === 0 && { head: first }),
    ...part,
  }))
}

/** Enough for the word, the braces, an id and a client id. */
const frameBytes = 250
const longestLabel = 500
