import type { ClientInfo } from '@holdfast/core/engine'
import type { EntryNote, NewLatch, NewSize, Sizing } from '../sessions/index.js'

// What nodes have in them. Anyone with rights to the nodes may have written it, so nothing but reports depends on its form.

export const writeNote = ({ count, leaseMs }: EntryNote): string => JSON.stringify([count, leaseMs])

export function readNote(text: string): EntryNote {
  const value = parse(text)
  const [count, leaseMs] = isList(value) ? value : []
  return {
    count: typeof count === 'number' ? count : 1,
    leaseMs: typeof leaseMs === 'number' ? leaseMs : 0,
  }
}

/** A size, and when its time is up by the leader's clock, if that began with an earlier node. */
export interface SizeNote extends NewSize {
  readonly untilMs?: number | undefined
}

export const writeSize = ({ size, id, keepMs, holders, before, untilMs }: SizeNote): string =>
  JSON.stringify({ size, id, keepMs, holders, untilMs, before: before && writeSizing(before) })

const writeSizing = ({ size, holders }: Sizing): Sizing => ({ size, holders })

/** `null`: it is not one of ours. */
export function readSize(text: string): SizeNote | null {
  const value = parse(text)
  if (!isRecord(value)) return null
  const { id, keepMs, untilMs, before } = value
  const sizing = readSizing(value)
  if (!sizing || typeof id !== 'string' || typeof keepMs !== 'number') return null
  return {
    ...{ ...sizing, id, keepMs },
    untilMs: typeof untilMs === 'number' ? untilMs : undefined,
    before: isRecord(before) ? (readSizing(before) ?? undefined) : undefined,
  }
}

function readSizing({ size, holders }: Record<string, unknown>): Sizing | null {
  if (typeof size !== 'number' && size !== null) return null
  return { size, holders: isList(holders) ? holders.filter((each) => typeof each === 'string') : [] }
}

export const writeLatch = ({ text, round, keepMs, isClosed }: NewLatch): string =>
  JSON.stringify({ text, round, keepMs, isClosed })

/** `null`: it is not one of ours. */
export function readLatch(data: string): NewLatch | null {
  const value = parse(data)
  if (!isRecord(value)) return null
  const { text, round, keepMs, isClosed } = value
  const isOurs = typeof text === 'string' && typeof round === 'string' && typeof keepMs === 'number'
  return isOurs ? { text, round, keepMs, isClosed: isClosed === true } : null
}

/** How a client describes itself, and how long its sessions live. */
export interface ClientNote {
  readonly client: ClientInfo
  readonly sessionMs: number
}

export const writeClient = ({ client, sessionMs }: ClientNote): string =>
  JSON.stringify({ ...client, sessionMs })

export function readClient(text: string): ClientNote | null {
  const value = parse(text)
  if (!isRecord(value)) return null
  const { host, pid, label, startedAt, sessionMs } = value
  if (typeof host !== 'string' || typeof pid !== 'number' || typeof label !== 'string') return null
  if (typeof startedAt !== 'string' || typeof sessionMs !== 'number') return null
  return { client: { host, pid, label, startedAt: new Date(startedAt) }, sessionMs }
}

/** What one client tells another: that an owner was evicted, or a text. */
export type Message = readonly [kind: 'evicted' | 'text', text: string]

/** Of a client that reads nothing, the last ones. */
const mostMessages = 100

export const writeMessages = (messages: readonly Message[]): string =>
  messages.length === 0 ? '' : JSON.stringify(messages.slice(-mostMessages))

export function readMessages(text: string): Message[] {
  const value = parse(text)
  return Array.isArray(value) ? value.filter((each: unknown) => isMessage(each)) : []
}

const isMessage = (value: unknown): value is Message =>
  Array.isArray(value) && (value[0] === 'evicted' || value[0] === 'text') && typeof value[1] === 'string'

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
