import { randomBytes } from 'node:crypto'

/** When the clock key expires, in seconds since 1970: as late as memcached can say. What is left until then tells its time. */
export const farAway = 2 ** 31 - 1

/** What a reading of the clock key says. */
export interface ClockReading {
  /** memcached's clock, whole seconds since 1970: it may be behind by one, and by a tick that is late. */
  readonly nowS: number
  /** Names the data: random, and gone when the data goes. */
  readonly id: string
  /** By the same clock, when the data began. */
  readonly madeS: number
}

/** @param madeS - memcached's clock now */
export const newClockText = (madeS: number): string =>
  `${farAway} ${randomBytes(12).toString('base64url')} ${madeS}`

/**
 * @param leftS - how long the key has left
 * @returns `undefined` if this is no text of a clock key
 */
export function readClock(text: string, leftS: number): ClockReading | undefined {
  const found = /^(\d{1,10}) ([\w-]+) (\d{1,10})$/.exec(text)
  const [, expiresS, id = '', madeS] = found ?? []
  // One whose time to live was changed tells no time.
  if (!found || !(leftS > 0)) return undefined
  return { nowS: Number(expiresS) - leftS, id, madeS: Number(madeS) }
}

/**
 * For how long nobody may enter, milliseconds. A second on top: what was lost may have had tokens of the second in which the clock key was
 * made, and times are whole seconds.
 */
export const opensInMs = ({ nowS, madeS }: ClockReading, graceMs: number): number =>
  Math.max(0, (madeS + Math.ceil(graceMs / 1_000) + 1 - nowS) * 1_000)

/** For how long the data has been there at least, milliseconds. */
export const ageMs = ({ nowS, madeS }: ClockReading): number => Math.max(0, (nowS - madeS - 1) * 1_000)
