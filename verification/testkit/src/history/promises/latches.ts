import type { Call } from '../calls.js'
import type { HistoryEvent } from '../event.js'
import { groupBy, type OfKind } from '../grouping.js'
import type { History } from '../history.js'
import { evidence, type Violation } from '../violation.js'

/** What a call did to a latch, from its beginning to its end; `Infinity` for one that never ended. */
interface Step {
  readonly begin: OfKind<'setting' | 'counting' | 'deleting'>
  readonly end: HistoryEvent | undefined
  readonly fromMs: number
  readonly untilMs: number
}

/**
 * A wait passes only if all parties of one count have counted down, and one that began before that or later passes; none
 * finds its latch gone unless it was deleted, the server may have lost it, or it was set anew at another server, which does not believe
 * that it had opened. Every other call settles.
 */
export function checkLatches(history: History): Violation[] {
  const stepsOf = groupBy(stepsIn(history.events), ({ begin }) => begin.lock)
  const waits = history.calls.flatMap((call) => {
    const steps = stepsOf.get(call.requested.lock) ?? []
    const problem = passedEarly(call, steps, history) ?? goneWithoutCause(call, steps, history)
    const [opened] = problem === null ? openedBefore(call, steps, history) : []
    const text = opened ? 'timed out, although the latch had opened' : problem
    return text === null ? [] : [violation(call.requested, text, [call.passed, call.refused, opened?.end])]
  })
  return [...waits, ...[...stepsOf.values()].flat().flatMap((step) => unsettled(step, history))]
}

function stepsIn(events: readonly HistoryEvent[]): Step[] {
  const ends = new Map<string, HistoryEvent>()
  const killed = new Map<string, HistoryEvent>()
  for (const event of events) {
    if (event.kind === 'killed') killed.set(event.process, event)
    else if (endKinds.has(event.kind) && 'call' in event) ends.set(event.call, event)
  }
  return events.flatMap((begin) => {
    if (begin.kind !== 'setting' && begin.kind !== 'counting' && begin.kind !== 'deleting') return []
    const end = ends.get(begin.call) ?? killed.get(begin.process)
    return [{ begin, end, fromMs: begin.atMs, untilMs: end?.atMs ?? Infinity }]
  })
}

const endKinds = new Set<HistoryEvent['kind']>(['set', 'counted-down', 'deleted', 'refused'])

/**
 * A step may take effect at any time while it runs. What it sent before it ended without a reply belongs to the count that
 * was set by then.
 */
function passedEarly(
  { requested, passed }: Call,
  steps: readonly Step[],
  { faults }: History,
): string | null {
  if (!passed || faults.excuse('tokens', requested.lock, requested.atMs, passed.atMs)) return null
  const counts = steps.filter(({ begin, fromMs }) => begin.kind === 'counting' && fromMs < passed.atMs)
  // A server that lost its latest data may still have what was replaced.
  const mayBeBack = faults.mayHaveLostData(requested.lock, passed.atMs)
  const replaced = mayBeBack
    ? []
    : steps.filter(({ untilMs, end }) => untilMs < requested.atMs && isReplacing(end))
  const sets = steps.filter(
    ({ begin, end, fromMs, untilMs }) =>
      begin.kind === 'setting' &&
      fromMs < passed.atMs &&
      !(end?.kind === 'set' && !end.isSet) &&
      !replaced.some((later) => later.fromMs > untilMs),
  )
  const most = sets.map((set) => {
    const parties = counts.filter(({ untilMs }) => untilMs >= set.fromMs).map(({ begin }) => partyOf(begin))
    const needed = set.begin.kind === 'setting' ? set.begin.parties : 0
    return needed - new Set(parties).size
  })
  const fewest = Math.min(...most)
  if (fewest <= 0) return null
  return fewest === Infinity
    ? 'passed, although no count was set'
    : `passed, although at least ${fewest} had not counted down`
}

const isReplacing = (end: HistoryEvent | undefined): boolean =>
  end?.kind === 'deleted' || (end?.kind === 'set' && end.isSet)

const partyOf = (begin: HistoryEvent): string =>
  begin.kind === 'counting' ? (begin.party === null ? `call ${begin.call}` : `party ${begin.party}`) : ''

function goneWithoutCause(
  { requested, refused }: Call,
  steps: readonly Step[],
  { faults }: History,
): string | null {
  if (refused?.reason !== 'gone') return null
  const isDeleted = steps.some(({ begin, fromMs }) => begin.kind === 'deleting' && fromMs <= refused.atMs)
  if (isDeleted || faults.mayHaveLostData(requested.lock, refused.atMs)) return null
  const isSetElsewhere = steps.some(
    ({ begin, fromMs, untilMs }) =>
      begin.kind === 'setting' &&
      fromMs <= refused.atMs &&
      untilMs >= requested.atMs &&
      faults.mayHaveMoved(requested.lock, untilMs),
  )
  if (isSetElsewhere) return null
  return `was refused, although nothing deleted the latch: ${refused.message}`
}

/**
 * Count-downs that found the latch open, or opened it, long enough before this call gave up. One that waits for less than a reply may take
 * gives up first, unless it asks once and has no limit of its own.
 */
function openedBefore({ requested, refused }: Call, steps: readonly Step[], history: History): Step[] {
  if (refused?.reason !== 'timeout') return []
  const { faults, options } = history
  const endMs = Math.min(refused.atMs, requested.atMs + (requested.waitMs ?? Infinity))
  return steps.filter(({ begin, end, fromMs, untilMs }) => {
    if (begin.kind !== 'counting' || end?.kind !== 'counted-down' || end.left > 0) return false
    const knownMs = requested.waitMs === 0 ? untilMs : Math.max(untilMs, requested.atMs)
    if (knownMs > endMs - options.handOffMs) return false
    const mayBeReplaced = steps.some(
      (step) => step.begin.kind !== 'counting' && step.untilMs >= fromMs && step.fromMs <= endMs,
    )
    return !mayBeReplaced && faults.quiet(requested.lock, { fromMs, untilMs: endMs })
  })
}

function unsettled({ begin, end }: Step, { faults, options }: History): Violation[] {
  if (!end) return [violation(begin, 'was never settled', [])]
  if (end.kind === 'refused' && end.reason === 'other')
    return [violation(begin, `failed unexpectedly: ${end.message}`, [end])]
  const tookMs = end.atMs - Math.max(begin.atMs, faults.lastHealedMs)
  return tookMs <= options.settleMs
    ? []
    : [violation(begin, `took ${tookMs.toFixed(1)} ms to settle, ${options.settleMs} are allowed`, [end])]
}

function violation(
  begin: OfKind<'requested' | 'setting' | 'counting' | 'deleting'>,
  problem: string,
  more: readonly (HistoryEvent | undefined)[],
): Violation {
  return {
    promise: 'latches',
    lock: begin.lock,
    message: `${begin.process}: its call ${begin.call} on the latch ${begin.lock} ${problem}`,
    events: evidence(begin, ...more),
  }
}
