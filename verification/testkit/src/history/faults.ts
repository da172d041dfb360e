import type { Excuse, HistoryEvent } from './event.js'
import type { OfKind } from './grouping.js'
import { touches, type Span } from './spans.js'

/** A fault from its beginning to its end. */
export interface Fault {
  readonly event: OfKind<'fault'>
  /** `null`: never healed. */
  readonly healed: OfKind<'healed'> | null
  readonly fromMs: number
  /** When it was healed; `Infinity` if never. */
  readonly untilMs: number
}

/** The fault that stops the processes it disturbs. Its duration does not count as their running time. */
export const freezeProcess = 'freezeProcess'

/** The fault that has a machine sleep: its processes stop, and so do the clocks that they measure time by. */
const suspendMachine = 'suspendMachine'

/** The injected faults, the stalls and lost connections, and what they excuse. */
export class Faults {
  readonly all: readonly Fault[]
  readonly #stalls: readonly OfKind<'stalled'>[]
  readonly #disconnections: readonly OfKind<'disconnected'>[]
  readonly #recoveryMs: number

  /** Takes events in order. `recoveryMs`: how long the effects of a fault last once it is healed. */
  constructor(events: readonly HistoryEvent[], recoveryMs: number) {
    const ends = events.filter((event) => event.kind === 'healed')
    this.all = events
      .filter((event) => event.kind === 'fault')
      .map((event) => {
        const healed = ends.find(({ id, atMs }) => id === event.id && atMs >= event.atMs) ?? null
        return { event, healed, fromMs: event.atMs, untilMs: healed?.atMs ?? Infinity }
      })
    this.#stalls = events.filter((event) => event.kind === 'stalled')
    this.#disconnections = events.filter((event) => event.kind === 'disconnected')
    this.#recoveryMs = recoveryMs
  }

  /**
   * Whether a conflict at `atMs` with something that dates back to `sinceMs` is excused: a fault had begun by then, and
   * `sinceMs` is before the end of its effects.
   */
  excuse(what: Excuse, lock: string, sinceMs: number, atMs: number): boolean {
    return sinceMs <= this.excusedSinceMs(what, lock, atMs)
  }

  /** Anything that dates back to this instant or earlier may conflict with what begins at `atMs`; `-Infinity`: nothing may. */
  excusedSinceMs(what: Excuse, lock: string, atMs: number): number {
    const began = this.all.filter(
      ({ event }) => event.atMs <= atMs && event.excuses.includes(what) && concerns(event.locks, lock),
    )
    return Math.max(-Infinity, ...began.map(({ untilMs }) => untilMs + this.#recoveryMs))
  }

  /** Whether a fault that may lose what is stored of that lock, or moves its clock, had begun by then. */
  mayHaveLostData(lock: string, atMs: number): boolean {
    return this.all.some(
      ({ event }) => event.atMs <= atMs && event.excuses.length > 0 && concerns(event.locks, lock),
    )
  }

  /** Whether a fault that hit the server had begun by then: it may have restarted, or be another one. */
  mayHaveMoved(lock: string, atMs: number): boolean {
    return this.all.some(
      ({ event }) => event.atMs <= atMs && event.disturbs === 'all' && concerns(event.locks, lock),
    )
  }

  /** Whether a waiter or holder of that process and lock may have lost its turn, or its hold, in that time. */
  disturbed(process: string, lock: string, time: Span): boolean {
    const byFault = this.all.some(
      ({ event, fromMs, untilMs }) =>
        concerns(event.disturbs, process) &&
        concerns(event.locks, lock) &&
        touches(time, { fromMs, untilMs: untilMs + this.#recoveryMs }),
    )
    const byItself = this.#disconnections.some(
      ({ process: own, atMs }) =>
        own === process && touches(time, { fromMs: atMs, untilMs: atMs + this.#recoveryMs }),
    )
    return (
      byFault ||
      byItself ||
      this.#stalls.some(
        (stall) =>
          stall.process === process &&
          touches(time, { fromMs: stall.atMs - stall.stalledMs, untilMs: stall.atMs + this.#recoveryMs }),
      )
    )
  }

  /** Whether nothing disturbed that lock in that time: no active fault, no recovery from one, and no stalled process. */
  quiet(lock: string, time: Span): boolean {
    const isHit = this.all.some(({ event: { disturbs, locks }, fromMs, untilMs }) => {
      const recoveryMs = disturbs === 'all' || disturbs.length > 0 ? this.#recoveryMs : 0
      return concerns(locks, lock) && touches(time, { fromMs, untilMs: untilMs + recoveryMs })
    })
    const isStalled = this.#stalls.some(({ atMs, stalledMs }) =>
      touches(time, { fromMs: atMs - stalledMs, untilMs: atMs }),
    )
    return !isHit && !isStalled
  }

  /** When that process did not run: frozen by a fault, asleep, or stalled. */
  pauses(process: string): Span[] {
    const stalled = this.#stalls
      .filter((stall) => stall.process === process)
      .map(({ atMs, stalledMs }) => ({ fromMs: atMs - stalledMs, untilMs: atMs }))
    return [...this.#during(freezeProcess, process), ...this.sleeps(process), ...stalled]
  }

  /** When its machine slept. */
  sleeps(process: string): Span[] {
    return this.#during(suspendMachine, process)
  }

  /** When the last fault ended; `-Infinity` if none did. */
  get lastHealedMs(): number {
    return Math.max(-Infinity, ...this.all.map(({ healed }) => healed?.atMs ?? -Infinity))
  }

  #during(fault: string, process: string): Span[] {
    return this.all.filter(({ event }) => event.fault === fault && concerns(event.disturbs, process))
  }
}

function concerns(named: readonly string[] | 'all', name: string): boolean {
  return named === 'all' || named.includes(name)
}
