import { longestText } from '../engine/operator.js'
import { mostLosses } from './loss-log.js'
import type { Pace } from './pace.js'
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
export async function pagesOf(
  id: string,
  { client, holds, queue, losses, ...head }: ClientReport,
  pace: Pace,
): Promise<ReportPage[]> {
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
  const inPieces = async <T>(items: readonly T[], take: (item: T) => void): Promise<void> => {
    for (let start = 0; start < items.length; start += pieceSize) {
      if (start > 0) await pace.breathe()
      for (const item of items.slice(start, start + pieceSize)) take(item)
    }
  }
  await inPieces(holds, (hold) => partFor(hold).holds.push(hold))
  await inPieces(queue, (wait) => partFor(wait).queue.push(wait))
  await inPieces(losses, (loss) => partFor(loss).losses.push(loss))
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

/** How many pages a report can have that lists so many holds and as many waits: one may have no room beside the head. */
export const mostPagesOf = (limit: number): number => 2 * limit + mostLosses + 1

/** So many items are split in one piece. */
const pieceSize = 200
/** Enough for the word, the braces, an id and a client id. */
const frameBytes = 250
const longestLabel = 500
