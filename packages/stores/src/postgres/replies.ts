import { HoldfastError } from '@holdfast/core/engine'
import type { Row } from './connection/statement.js'

// How values are read from rows.

/** Rejects the call: the database has another version of a function. */
export const strange = (what: string): HoldfastError =>
  new HoldfastError(`postgres: a reply that this version does not know: ${what}`)

export const first = (rows: readonly Row[]): Row => {
  const [row] = rows
  if (!row) throw strange('no row')
  return row
}

export const numberIn = (text: string | null | undefined): number => {
  const number = Number(text ?? NaN)
  if (!Number.isSafeInteger(number)) throw strange(String(text))
  return number
}

export const numbersIn = (text: string | null | undefined, count: number): number[] => {
  const numbers = (text ?? '').split(' ').map(numberIn)
  if (numbers.length !== count) throw strange(`${numbers.length} numbers instead of ${count}`)
  return numbers
}

const listIn = (text: string | null | undefined): readonly unknown[] => {
  const list: unknown = JSON.parse(text ?? '')
  if (!Array.isArray(list)) throw strange(String(text))
  return list
}

export const textsIn = (text: string | null | undefined): string[] =>
  listIn(text).map((each) => {
    if (typeof each !== 'string') throw strange(String(text))
    return each
  })

export const numbersInList = (text: string | null | undefined): number[] =>
  listIn(text).map((each) => numberIn(String(each)))

/** Owners, each with so many numbers. */
export function ownersIn(
  text: string | null | undefined,
  count: number,
): { readonly owner: string; readonly numbers: readonly number[] }[] {
  return listIn(text).map((given) => {
    const parts: readonly unknown[] = Array.isArray(given) ? given : []
    const [owner, ...numbers] = parts
    const isKnown = typeof owner === 'string' && numbers.length === count
    if (!isKnown || !numbers.every((each) => typeof each === 'number')) throw strange(JSON.stringify(given))
    return { owner, numbers }
  })
}

/** Who is in the way of each, and its position; `undefined`: not known. */
export const obstaclesIn = (
  text: string | null | undefined,
): ({ readonly holder: string; readonly position: number | undefined } | undefined)[] =>
  listIn(text).map((given) => {
    const parts: readonly unknown[] = Array.isArray(given) ? given : []
    const [holder, position] = parts
    if (typeof holder !== 'string' || typeof position !== 'number') return undefined
    return { holder, position: position > 0 ? position : undefined }
  })
