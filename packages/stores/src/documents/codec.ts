import type { NotALockReply } from '@holdfast/core/engine'
import type { DocumentKind } from './document-kind.js'

/** Of everything that is written. Another one for every change that an older version would misread. */
const format = 1

export const encode = <Content, Written>(kind: DocumentKind<Content, Written>, content: Content): string =>
  JSON.stringify({ format, ...kind.write(content) })

/** @returns what the document has, or why it is none of ours */
export function decode<Content, Written>(
  kind: DocumentKind<Content, Written>,
  key: string,
  text: string,
): { readonly kind: 'content'; readonly content: Content } | NotALockReply {
  if (text === '') return { kind: 'content', content: kind.make() }
  const written = parsed(text) as (Written & { readonly format: unknown }) | undefined
  if (written?.format === format) return { kind: 'content', content: kind.read(written) }
  const reason =
    typeof written?.format === 'number'
      ? `the document ${key} has format ${written.format}, and this version of @holdfast/stores reads format ${format}; update the older of the two`
      : `the document ${key} was not written by Holdfast; delete it, or keep locks under other keys`
  return { kind: 'not-a-lock', reason }
}

/** `undefined`: no JSON, or not an object. */
export function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
