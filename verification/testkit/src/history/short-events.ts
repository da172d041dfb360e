import type { HistoryEvent } from './event.js'
import type { OfKind } from './grouping.js'

/*
 * Concise events for specs: all on the lock `job`; the call `a1` belongs to the process `A`, and an owner is named like
 * its first call.
 */

export const lock = 'job'

type Varied<Kind extends HistoryEvent['kind']> = Partial<Omit<OfKind<Kind>, 'kind' | 'atMs'>>

export function requested(atMs: number, call: string, more: Varied<'requested'> = {}): HistoryEvent {
  return { kind: 'requested', atMs, process: processOf(call), call, lock, waitMs: null, ...more }
}

export function queued(atMs: number, owner: string, more: Varied<'queued'> = {}): HistoryEvent {
  return { kind: 'queued', atMs, process: processOf(owner), lock, owner, ...more }
}

export function acquired(
  atMs: number,
  owner: string,
  claimUntilMs: number | null = null,
  more: Varied<'acquired'> = {},
): OfKind<'acquired'> {
  return {
    kind: 'acquired',
    atMs,
    process: processOf(owner),
    call: owner,
    lock,
    owner,
    token: null,
    count: 1,
    claimUntilMs,
    ...more,
  }
}

export function confirmed(atMs: number, owner: string, claimUntilMs: number): HistoryEvent {
  return { kind: 'confirmed', atMs, process: processOf(owner), lock, owner, claimUntilMs }
}

/** `left`, `released`, `lost` or `untold`. */
export function ended(
  kind: 'left' | 'released' | 'lost' | 'loss-found',
  atMs: number,
  owner: string,
  call = owner,
): HistoryEvent {
  return { kind, atMs, process: processOf(owner), call, lock, owner }
}

export function refused(
  atMs: number,
  owner: string,
  reason: OfKind<'refused'>['reason'] = 'timeout',
  more: Varied<'refused'> = {},
): HistoryEvent {
  const process = processOf(owner)
  return { kind: 'refused', atMs, process, call: owner, lock, owner, reason, message: '', ...more }
}

/** The object has so many permits in all. */
export function sized(size: number): HistoryEvent {
  return { kind: 'sized', atMs: -1, lock, size }
}

/** A holder keeps so many of its permits. */
export function lowered(atMs: number, owner: string, permits: number): HistoryEvent {
  return { kind: 'lowered', atMs, process: processOf(owner), call: owner, lock, owner, permits }
}

/** A call that resizes the object, and its acknowledgement; `null`: there is none. */
export function resized(
  fromMs: number,
  untilMs: number | null,
  size: number,
  keepMs = 1_000_000,
): HistoryEvent[] {
  const call = `r${fromMs}`
  const begin: HistoryEvent = { kind: 'resizing', atMs: fromMs, process: 'R', call, lock, size, keepMs }
  return untilMs === null ? [begin] : [begin, { kind: 'resized', atMs: untilMs, process: 'R', call, lock }]
}

/** A fault `f` from one instant to another; without the second it is never healed. */
export function fault(fromMs: number, untilMs: number | null, more: Varied<'fault'>): HistoryEvent[] {
  const begin: HistoryEvent = {
    kind: 'fault',
    atMs: fromMs,
    id: 'f',
    fault: 'something',
    disturbs: [],
    excuses: [],
    locks: 'all',
    ...more,
  }
  return untilMs === null ? [begin] : [begin, { kind: 'healed', atMs: untilMs, id: begin.id }]
}

export function killed(atMs: number, process: string): HistoryEvent {
  return { kind: 'killed', atMs, process }
}

export function stalled(atMs: number, process: string, stalledMs: number): HistoryEvent {
  return { kind: 'stalled', atMs, process, stalledMs }
}

export function disconnected(atMs: number, process: string): HistoryEvent {
  return { kind: 'disconnected', atMs, process }
}

function processOf(name: string): string {
  return name.charAt(0).toUpperCase()
}
