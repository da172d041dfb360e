import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { targetOf } from './http/target.js'

/** Nothing that the URL needs to escape. */
export const newToken = (): string => randomBytes(24).toString('base64url')

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Lets requests pass that know the token: in the address once, then in a cookie that scripts cannot read. */
export class TokenGate {
  readonly #digest: Buffer
  readonly #token: string

  constructor(token: string) {
    this.#token = token
    this.#digest = digest(token)
  }

  /** Whether the request may pass; if not, it has been answered. */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { searchParams } = targetOf(request.url ?? '/')
    const given = searchParams.get('token')
    if (given !== null && this.#is(given)) {
      this.#exchange(request, response)
      return false
    }
    const { cookie = '' } = request.headers
    const name = cookieName(request)
    const found = cookie.split(/;\s*/).find((each) => each.startsWith(`${name}=`))
    if (found !== undefined && this.#is(found.slice(name.length + 1))) return true
    response.writeHead(401, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
    response.end('Open the address that was printed when the dashboard started: it contains the token.\n')
    return false
  }

  /** Both sides have one length, whatever was given. */
  #is(given: string): boolean {
    return timingSafeEqual(digest(given), this.#digest)
  }

  /**
   * Moves the token from the address, which histories keep, into a cookie. Not by a redirect: a browser that comes from another
   * site's link would follow it without the cookie.
   */
  #exchange(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'set-cookie': `${cookieName(request)}=${this.#token}; Path=/; HttpOnly; SameSite=Strict`,
    })
    response.end(
      '<!doctype html><meta charset="utf-8"><title>Holdfast</title><meta http-equiv="refresh" content="0;url=./">\n',
    )
  }
}

/** Cookies do not know ports, and each dashboard of a machine has its own token. */
const cookieName = ({ socket }: IncomingMessage): string => `holdfast-dashboard-${socket.localPort ?? 0}`
