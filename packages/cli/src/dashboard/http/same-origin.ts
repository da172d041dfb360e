import { RefusedRequest, type DashboardRequest } from './exchange.js'

/**
 * Refuses a change that another site's page asks a signed-in browser to make.
 *
 * Browsers say where a request comes from in `Sec-Fetch-Site`, but leave it out on plain HTTP to other hosts than localhost. There
 * `Origin`, which all send with a POST, must name the host that the request is for.
 */
export function requireSameOrigin({ headers }: Pick<DashboardRequest, 'headers'>): void {
  const site = headers.get('sec-fetch-site')
  if (site !== null) {
    if (site === 'same-origin') return
    throw new RefusedRequest(403, `Changes must come from the dashboard itself (Sec-Fetch-Site: ${site}).`)
  }
  const origin = hostOf(headers.get('origin'))
  if (origin === null || origin !== headers.get('host')) {
    throw new RefusedRequest(
      403,
      'Changes must come from the dashboard itself: the Origin header does not name this host. A proxy in between must pass the Host header on.',
    )
  }
}

/**
 * Refuses a request for data that another site's page makes a signed-in browser send. That page could not read the reply, but it could
 * make it read from the store. `none` is an address that the user has typed.
 */
export function refuseOtherSites({ headers }: Pick<DashboardRequest, 'headers'>): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new RefusedRequest(403, `Only the dashboard's own page may ask for this (Sec-Fetch-Site: ${site}).`)
}

function hostOf(origin: string | null): string | null {
  try {
    return new URL(origin ?? '').host
  } catch {
    return null
  }
}

/** A form of another site cannot send this type; a script of it would have to ask first. */
export function requireJson({ headers }: Pick<DashboardRequest, 'headers'>): void {
  const [type = ''] = (headers.get('content-type') ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new RefusedRequest(415, 'The body must be application/json.')
  }
}
