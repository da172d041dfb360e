import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Exchange, Reply } from './http/exchange.js'
import { isAsset } from './http/pages.js'
import { refusal } from './http/replies.js'
import { nameOf } from './http/target.js'

/** Nothing that the URL needs to escape. */
export const newToken = (): string => randomBytes(24).toString('base64url')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Lets requests pass that know the token. The page takes it from the fragment of its address and sends it as a header, to this server
 * alone: a cookie would go to every server of the host, whatever its port.
 *
 * The files of the page are the same for everyone and contain nothing of the store, so they need no token. Without them there would be
 * no page to read the fragment.
 */
export class TokenGate {
  readonly #digest: Buffer

  constructor(token: string) {
    this.#digest = digest(token)
  }

  /** `null` if the request may pass. */
  refusal({ method, path, headers }: Pick<Exchange, 'method' | 'path' | 'headers'>): Reply | null {
    if ((method === 'GET' || method === 'HEAD') && isAsset(nameOf(path))) return null
    const [, given = ''] = /^Bearer ([\w-]+)$/i.exec(headers.get('authorization') ?? '') ?? []
    if (this.#is(given)) return null
    return refusal(
      401,
      'Open the address that was printed when the dashboard started: it contains the token.',
      { 'www-authenticate': 'Bearer' },
    )
  }

  /** Both sides have one length, whatever was given. */
  #is(given: string): boolean {
    return timingSafeEqual(digest(given), this.#digest)
  }
}
