import type { HistoryEvent } from './event.js'
import type { OfKind } from './grouping.js'

/** One acquisition call with all its events. */
export interface Call {
  readonly requested: OfKind<'requested'>
  acquired?: OfKind<'acquired'>
  refused?: OfKind<'refused'>
  left?: OfKind<'left'>
  released?: OfKind<'released'>
  lost?: OfKind<'lost'>
  lossFound?: OfKind<'loss-found'>
  passed?: OfKind<'passed'>
  /** The end of its process, whether or not the call had ended. */
  killed?: OfKind<'killed'>
}

/** All calls, in the order in which they were made. Takes events in order. */
export function callsOf(events: readonly HistoryEvent[]): Call[] {
  const calls = new Map<string, Call>()
  const running = new Map<string, Call[]>()
  for (const event of events) {
    switch (event.kind) {
      case 'requested': {
        const call: Call = { requested: event }
        calls.set(event.call, call)
        const others = running.get(event.process)
        if (others) others.push(call)
        else running.set(event.process, [call])
        break
      }
      case 'acquired':
      case 'refused':
      case 'left':
      case 'released':
      case 'lost':
      case 'loss-found':
      case 'passed': {
        const call = calls.get(event.call)
        if (call) note(call, event)
        break
      }
      case 'killed':
        for (const call of running.get(event.process) ?? []) call.killed = event
        break
      default:
    }
  }
  return [...calls.values()]
}

function note(
  call: Call,
  event: OfKind<'acquired' | 'refused' | 'left' | 'released' | 'lost' | 'loss-found' | 'passed'>,
): void {
  switch (event.kind) {
    case 'acquired':
      call.acquired ??= event
      break
    case 'refused':
      call.refused ??= event
      break
    case 'left':
      call.left ??= event
      break
    case 'released':
      call.released ??= event
      break
    case 'lost':
      call.lost ??= event
      break
    case 'loss-found':
      call.lossFound ??= event
      break
    case 'passed':
      call.passed ??= event
  }
}
