import { Watchdog } from '../../src/watchdog.js'
import type { Renewable, RenewalOutcome, WatchdogOptions } from '../../src/watchdog.js'

/** An item that writes down what happens to it, and moves its deadline as a lease would. */
export class Item implements Renewable {
  readonly log: string[] = []
  readonly sentAt: number[] = []
  deadlineAt: number
  onSettle: (outcome: RenewalOutcome) => void = () => undefined
  onExpire: () => void = () => undefined

  constructor(
    readonly name: string,
    public renewEveryMs: number | null = 1_000,
    readonly leaseMs = 3_000,
    readonly group = 'one group',
  ) {
    this.deadlineAt = performance.now() + leaseMs
  }

  settle(outcome: RenewalOutcome, sentAt: number): void {
    this.log.push(outcome)
    this.sentAt.push(sentAt)
    if (outcome === 'renewed') this.deadlineAt = sentAt + this.leaseMs
    this.onSettle(outcome)
  }

  expire(): void {
    this.log.push('expired')
    this.onExpire()
  }
}

/** One call of renew, answered when the test says so. */
export interface Call {
  readonly at: number
  readonly names: readonly string[]
  answer(...outcomes: RenewalOutcome[]): Promise<void>
  fail(error: unknown): Promise<void>
}

export const letRepliesArrive = () => jest.advanceTimersByTimeAsync(0)

export function manualRenew(): {
  calls: Call[]
  renew: (items: readonly Item[]) => Promise<readonly RenewalOutcome[]>
} {
  const calls: Call[] = []
  const renew = (items: readonly Item[]) =>
    new Promise<readonly RenewalOutcome[]>((resolve, reject) => {
      calls.push({
        at: performance.now(),
        names: items.map((item) => item.name),
        answer: async (...outcomes) => {
          resolve(outcomes)
          await letRepliesArrive()
        },
        fail: async (error) => {
          reject(error)
          await letRepliesArrive()
        },
      })
    })
  return { calls, renew }
}

export function autoRenew(outcome: RenewalOutcome = 'renewed'): {
  calls: { at: number; names: string[] }[]
  renew: WatchdogOptions<Item>['renew']
} {
  const calls: { at: number; names: string[] }[] = []
  const renew = (items: readonly Item[]) => {
    calls.push({ at: performance.now(), names: items.map((item) => item.name) })
    return Promise.resolve(items.map(() => outcome))
  }
  return { calls, renew }
}

export function callAt<C>(calls: readonly C[], index: number): C {
  const call = calls[index]
  if (call === undefined) throw new Error(`there were ${calls.length} calls of renew, none at ${index}`)
  return call
}

/** Lets `ms` pass without any timer firing, as when something blocks the event loop. */
export function stallEventLoop(ms: number): void {
  const now = performance.now.bind(performance)
  jest.spyOn(performance, 'now').mockImplementation(() => now() + ms)
}

/** A watchdog that watches these items, of which the first is the one that matters. */
export function watching<Options extends WatchdogOptions<Item>>(
  options: Options,
  item = new Item('a'),
  ...others: Item[]
): Options & { readonly watchdog: Watchdog<Item>; readonly item: Item } {
  const watchdog = new Watchdog<Item>(options)
  for (const each of [item, ...others]) watchdog.add(each)
  return { ...options, watchdog, item }
}

let start: number

/** From the beginning of the test. */
export const elapsed = (at: number): number => at - start

/** Has each test of a file begin with timers of its own. */
export function useFakeClock(): void {
  beforeEach(() => {
    jest.useFakeTimers()
    start = performance.now()
  })

  afterEach(() => {
    jest.restoreAllMocks()
    jest.useRealTimers()
  })
}
