import { TokenRanks } from '../../../memory/test/compare/observation.js'

/** Tokens that the steps say their client has seen: from no clock, so that they are compared as numbers. */
const floors = [7_000_000_000_000_000, 8_000_000_000_000_000] as const

/** An hour ahead of the clock, one minute apart: the functions refuse those that are more than a day ahead. */
const firstUs = 1_000 * Date.now() + 3_600_000_000
const apartUs = 60_000_000

/** What the functions are told instead. */
export function serverFloor(tokenFloor: number): number {
  const i = floors.findIndex((floor) => floor === tokenFloor)
  return i < 0 ? tokenFloor : firstUs + i * apartUs
}

/** The ranks of tokens as the functions give them. */
export class ServerTokens extends TokenRanks {
  override rankOf(token: number): number {
    if (token < firstUs) return super.rankOf(token)
    const i = Math.min(floors.length - 1, Math.floor((token - firstUs) / apartUs))
    return super.rankOf(token - firstUs - i * apartUs + (floors[i] ?? 0))
  }
}
