import { invisible } from '../dashboard/shared/visible-name.js'

const invisibleOrBackslash = new RegExp(`${invisible.source}|\\\\`, 'gu')

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' }

function escapeOne(char: string): string {
  const code = char.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return short[char] ?? (code <= 0xff ? `\\x${hex.padStart(2, '0')}` : `\\u{${hex}}`)
}

/**
 * Makes a name, a label or a message safe to show: what a terminal would act on is shown as `\x1b`, `\u{202e}`. A backslash is
 * doubled, so that no two texts look the same.
 */
export const escapeText = (text: string): string => text.replace(invisibleOrBackslash, escapeOne)

/** The same for sentences, which may quote what was escaped already: backslashes stay. */
export const escapeSentence = (text: string): string => text.replace(invisible, escapeOne)

/** Tokens begin at 1: 0 says that none is known. */
const knownToken = (key: string, value: unknown): unknown =>
  key === 'fencingToken' && value === 0 ? null : value

/**
 * JSON in one line whose text is as safe: `JSON.stringify` leaves C1 and bidi characters as they are. A fencing token that is not
 * known is `null`.
 */
export function toJson(value: unknown): string {
  const units = (text: string): string =>
    [...Array(text.length).keys()]
      .map((i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join('')
  return JSON.stringify(value, knownToken).replace(invisible, units)
}
