import { isIP, isIPv6 } from 'node:net'
import { InvalidArgumentError } from '@holdfast/core'
import type { Exchange, Reply } from './exchange.js'
import { refusal } from './replies.js'

export interface HostRules {
  /** Names and addresses without ports. */
  readonly names: readonly string[]
  /** Whether every IP address may also stand there. */
  readonly anyAddress: boolean
}

/**
 * Refuses requests for other hosts than these.
 *
 * A site can let its name lead to an address in your network once its page is loaded (DNS rebinding). To a browser, that page and what
 * answers there are then one site. Only the `Host` header still says whose name it was. No name stands behind an address, so
 * addresses cannot be abused in this way.
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>
  readonly #anyAddress: boolean

  constructor({ names, anyAddress }: HostRules) {
    if (!Array.isArray(names)) {
      throw new InvalidArgumentError(`allowedHosts must be an array, got ${JSON.stringify(names)}`)
    }
    this.#names = new Set(names.map(requireHost))
    this.#anyAddress = anyAddress
  }

  /** `null` if the request may pass. */
  refusal({ host }: Pick<Exchange, 'host'>): Reply | null {
    const named = host === null ? null : hostOf(host)
    if (named !== null && this.#allows(named)) return null
    return refusal(
      421,
      `The dashboard does not answer for the host ${JSON.stringify(host)}. If that is one of its names, add it to allowedHosts (on the command line: --allow-host); if a proxy in between changes the Host header, add what it sends.`,
    )
  }

  #allows(host: string): boolean {
    return this.#names.has(host) || (this.#anyAddress && isIP(host.replace(/^\[|\]$/g, '')) !== 0)
  }
}

/** A host as browsers send it, without its port; `null` if it is none. */
function hostOf(text: string): string | null {
  if (/[\s/\\?#@]/.test(text)) return null
  try {
    return new URL(`http://${text}`).hostname.replace(/\.$/, '')
  } catch {
    return null
  }
}

function requireHost(text: unknown): string {
  const bracketed = typeof text === 'string' && isIPv6(text) ? `[${text}]` : text
  const host = typeof bracketed !== 'string' || /:\d*$/.test(bracketed) ? null : hostOf(bracketed)
  if (host !== null && host !== '') return host
  throw new InvalidArgumentError(
    `allowedHosts must be names or addresses of hosts without scheme, port or path, such as 'ops.example.com'; got ${JSON.stringify(text)}`,
  )
}
