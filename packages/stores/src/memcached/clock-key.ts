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
  /** For how long nobody enters after that, seconds: as long as a holder of lost data that is cut off may rely on its lease. */
  readonly closedS: number
  /** The same for the time after these data are lost: the longest lease of the clients that use them. */
  readonly leaseS: number
}

export const newDataId = (): string => randomBytes(12).toString('base64url')

export const clockText = ({ id, madeS, closedS, leaseS }: Omit<ClockReading, 'nowS'>): string =>
  `${farAway} ${id} ${madeS} ${closedS} ${leaseS}`

/**
 * @param leftS - how long the key has left
 * @returns `undefined` if this is no text of a clock key
 */
export function readClock(text: string, leftS: number): ClockReading | undefined {
  const found = /^(\d{1,10}) ([\w-]+) (\d{1,10}) (\d{1,10}) (\d{1,10})$/.exec(text)
  const [, expiresS, id = '', ...numbers] = found ?? []
  // One whose time to live was changed tells no time.
  if (!found || !(leftS > 0)) return undefined
  const [madeS = 0, closedS = 0, leaseS = 0] = numbers.map(Number)
  return { nowS: Number(expiresS) - leftS, id, madeS, closedS, leaseS }
}

/**
 * By how much a time may be shorter than two readings of the clock say, seconds: they are whole ones, and a tick may come late. It also
 * keeps tokens growing: what was lost may have had some of the second in which the clock key was made.
 */
const slackS = 2

/** For how long nobody may enter, milliseconds. */
export const opensInMs = ({ nowS, madeS, closedS }: ClockReading): number =>
  Math.max(0, (madeS + closedS + slackS - nowS) * 1_000)

/** For how long other data have to stay closed if these are lost, seconds. Before these have opened, holders of earlier ones may be left. */
export const carriedS = (clock: ClockReading): number =>
  Math.max(clock.leaseS, opensInMs(clock) > 0 ? clock.closedS : 0)

/** For how long the data has been there at least, milliseconds. */
export const ageMs = ({ nowS, madeS }: Pick<ClockReading, 'nowS' | 'madeS'>): number =>
  Math.max(0, (nowS - madeS - 1) * 1_000)
