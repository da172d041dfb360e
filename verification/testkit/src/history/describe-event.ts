import type { HistoryEvent } from './event.js'

/** One event as text; `withLock` includes the name of its lock. */
export function describeEvent(
  event: HistoryEvent,
  timeOf: (atMs: number) => string,
  withLock: boolean,
): string {
  const of = 'lock' in event && withLock ? ` ${event.lock}` : ''
  switch (event.kind) {
    case 'sized':
      return `${event.lock} has ${permitsText(event.size)}`
    case 'resizing':
      return `${event.process} resizes${of || ' it'} to ${event.size} for ${event.keepMs} ms`
    case 'resized':
      return `${event.process} has resized${of || ' it'}`
    case 'requested': {
      const wanted =
        event.permits === undefined ? of || ' the lock' : ` ${permitsText(event.permits)}${of && ` of${of}`}`
      if (event.ticketOf !== undefined)
        return `${event.process} takes over${wanted}, which ${event.ticketOf} has handed over`
      const kept = event.atLeastMs === undefined ? '' : `, keeps it for at least ${event.atLeastMs} ms`
      const handed = event.handsOverMs === undefined ? '' : `, hands it over for ${event.handsOverMs} ms`
      return `${event.process} requests${wanted}, ${limitOf(event.waitMs)}${kept}${handed}`
    }
    case 'queued':
      return `${event.process} is queued${of && ` for${of}`} as ${event.owner}`
    case 'acquired': {
      const permits = event.permits === undefined ? '' : ` with ${permitsText(event.permits)}`
      const entry = `${event.count > 1 ? `re-enters${of} to count ${event.count}` : `acquires${of}`}${permits}`
      const token = event.token === null ? '' : `, token ${event.token}`
      const claim = event.claimUntilMs === null ? 'no deadline' : `until ${timeOf(event.claimUntilMs)}`
      return `${event.process} ${entry} as ${event.owner}${token}, ${claim}`
    }
    case 'lowered':
      return `${event.process} keeps ${permitsText(event.permits)}${of && ` of${of}`}`
    case 'confirmed':
      return `${event.process} still claims${of || ' it'}, until ${timeOf(event.claimUntilMs)}`
    case 'left':
      return `${event.process} leaves${of}`
    case 'released':
      return `${event.process} has released${of || ' it'}`
    case 'lost':
      return `${event.process} learns of its loss${of && ` of${of}`}`
    case 'loss-found':
      return `${event.process} finds that it lost${of || ' it'}, without a signal`
    case 'refused': {
      const message = event.message && `: ${event.message}`
      return `${event.process} is refused${of} (${event.reason})${message}`
    }
    case 'setting':
      return `${event.process} sets${of || ' the latch'} to ${event.parties}`
    case 'set':
      return event.isSet
        ? `${event.process} has set${of || ' it'}`
        : `${event.process} finds${of || ' it'} set`
    case 'counting':
      return `${event.process} counts down${of}${event.party === null ? '' : ` as ${event.party}`}`
    case 'counted-down':
      return `${event.process} has counted down${of}: ${event.left} left`
    case 'deleting':
      return `${event.process} deletes${of || ' the latch'}`
    case 'deleted':
      return `${event.process} has deleted${of || ' it'}`
    case 'passed':
      return `${event.process} passes${of}`
    case 'fault':
      return `fault ${event.id}: ${event.fault}${disturbance(event.disturbs)}${excuse(event.excuses)}`
    case 'healed':
      return `healed ${event.id}`
    case 'killed':
      return `${event.process} is killed`
    case 'stalled':
      return `${event.process} stalled for ${event.stalledMs.toFixed(1)} ms`
    case 'disconnected':
      return `${event.process} lost its connection`
    case 'counted':
      return `${event.owner} counts ${event.atClient}${of && ` on${of}`}, the server ${event.atServer}`
    case 'leftover':
      return `left behind${of && ` of${of}`}: ${event.what}`
  }
}

function permitsText(permits: number): string {
  return permits === 1 ? '1 permit' : `${permits} permits`
}

function limitOf(waitMs: number | null): string {
  if (waitMs === null) return 'waits without limit'
  return waitMs === 0 ? 'once' : `waits up to ${waitMs} ms`
}

function disturbance(disturbs: readonly string[] | 'all'): string {
  if (disturbs === 'all') return ', disturbs all'
  return disturbs.length === 0 ? '' : `, disturbs ${disturbs.join(', ')}`
}

function excuse(excuses: readonly string[]): string {
  return excuses.length === 0 ? '' : `, excuses ${excuses.join(' and ')}`
}
