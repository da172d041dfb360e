/** Per tab and origin, a port included: no other server of this host sees it, as it would a cookie. */
const key = 'holdfast-dashboard-token'

let token = stored()

/** What opens a dashboard that has a server of its own; in an application none is needed. */
export const authorization = (): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

/** Moves the token from the address, which histories keep and people share, into the tab. Returns whether there was one. */
export function takeToken(): boolean {
  const [, found = null] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (found === null) return false
  token = found
  history.replaceState(null, '', location.pathname + location.search)
  try {
    sessionStorage.setItem(key, found)
  } catch {
    // Where pages may store nothing, a reload asks for the address again.
  }
  return true
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}
