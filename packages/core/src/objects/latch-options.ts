import { checkOptions, requireInteger } from '../options/checks.js'
import { InvalidArgumentError } from '../errors/errors.js'
import { resolveRequest } from '../options/options.js'
import type { AcquireOptions, LeaseBounds, Request } from '../options/options.js'
import { shown } from '../util/kind-of.js'

/** How a count is set. */
export interface LatchSetOptions {
  /**
   * How long the latch outlives its last use: a count-down, a `trySetCount`, or a waiter. After that it is gone, as if it had
   * been deleted. Choose it longer than the longest pause between two count-downs. Whole milliseconds, at least 1,000.
   *
   * @defaultValue 86_400_000, a day
   */
  readonly keepMs?: number | undefined
}

/** Who counts down. */
export interface CountDownOptions {
  /**
   * The name of the party, 1 to 256 bytes, such as `shard-7`. A named party counts once, however often it counts down: use it
   * when a worker may be restarted, or a job be delivered twice. Without it every call is a new party.
   */
  readonly as?: string | undefined
}

/** How a wait ends. An option that is left out or `undefined` takes the client's default. */
export interface LatchWaitOptions extends Pick<AcquireOptions, 'signal'> {
  /**
   * How long to wait for the latch to open. 0 looks once, `Infinity` waits without limit.
   *
   * @defaultValue unlimited for `wait`, unless the client has a default; 0 for `tryWait`, always
   */
  readonly waitMs?: number | undefined
}

const largestCount = 100_000
const largestNameBytes = 256
const shortestKeepMs = 1_000
const defaultKeepMs = 86_400_000

const setOptions: Record<keyof LatchSetOptions, true> = { keepMs: true }
const setOptionNames = new Set(Object.keys(setOptions))
const countDownOptions: Record<keyof CountDownOptions, true> = { as: true }
const countDownOptionNames = new Set(Object.keys(countDownOptions))
const waitOptions: Record<keyof LatchWaitOptions, true> = { waitMs: true, signal: true }
const waitOptionNames = new Set(Object.keys(waitOptions))

/** Refuses what cannot be a count. */
export function checkCount(count: unknown): void {
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= largestCount) return
  throw new InvalidArgumentError(`count must be an integer from 1 to ${largestCount}, got ${shown(count)}`)
}

/** Checks the options of a `trySetCount`. */
export function resolveKeepMs(options: LatchSetOptions = {}): number {
  checkOptions(options, setOptionNames)
  const { keepMs = defaultKeepMs } = options
  requireInteger('keepMs', keepMs, shortestKeepMs)
  return keepMs
}

/** Checks the options of a `countDown`; `undefined` for a party without a name. */
export function resolveParty(options: CountDownOptions = {}): string | undefined {
  const given: unknown = options
  if (typeof given === 'number') {
    throw new InvalidArgumentError(
      `countDown counts once for one party, got ${given}: call it once per party, or name each as countDown({ as })`,
    )
  }
  checkOptions(options, countDownOptionNames)
  const name: unknown = options.as
  if (name === undefined) return undefined
  if (typeof name !== 'string' || name === '' || Buffer.byteLength(name) > largestNameBytes) {
    throw new InvalidArgumentError(
      `as must be a string of 1 to ${largestNameBytes} bytes, got ${shown(name)}`,
    )
  }
  return name
}

/** Checks the options of a wait and fills in the client's defaults. */
export function resolveWait(
  options: LatchWaitOptions | undefined,
  settings: LeaseBounds & { readonly defaults: AcquireOptions },
  waitMs?: number,
): Request {
  if (options !== undefined) checkOptions(options, waitOptionNames)
  return resolveRequest(options, settings, waitMs)
}
