import { CommandError } from './database.js'
import { general } from './lua/values.js'

export function integer(text: string): number {
  if (/^-?\d{1,18}$/.test(text)) return Number(text)
  throw new CommandError('ERR value is not an integer or out of range')
}

/** A score as a command has it, with whether it is left out itself. */
export function bound(text: string): { readonly score: number; readonly isOpen: boolean } {
  const isOpen = text.startsWith('(')
  const score = scoreOf(isOpen ? text.slice(1) : text)
  if (Number.isNaN(score)) throw new CommandError('ERR min or max is not a float')
  return { score, isOpen }
}

/** NaN if it is none. */
export function scoreOf(text: string): number {
  const [, sign] = /^([-+]?)inf(?:inity)?$/i.exec(text) ?? []
  if (sign !== undefined) return sign === '-' ? -Infinity : Infinity
  return text.trim() === '' ? NaN : Number(text)
}

export const scoreText = (score: number): string => general(score, 17)
