/**
 * All that moves the cursor, hides, reorders or breaks a line, or looks like nothing or like a plain space: control characters (C0,
 * DEL, C1), formatting and default-ignorable characters (bidi overrides, zero-width ones, tags, fillers), lone surrogates, private
 * and unassigned ones, line and paragraph separators, spaces but the one of ASCII, the blank of Braille. The dashboard's list is
 * the same: see visible-name.ts there.
 */
const hostile =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu
const hostileOrBackslash = new RegExp(`${hostile.source}|\\\\`, 'gu')

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
export const escapeText = (text: string): string => text.replace(hostileOrBackslash, escapeOne)

/** The same for sentences, which may quote what was escaped already: backslashes stay. */
export const escapeSentence = (text: string): string => text.replace(hostile, escapeOne)

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
  return JSON.stringify(value, knownToken).replace(hostile, units)
}
