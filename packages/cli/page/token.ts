/** Per tab and origin, a port included: no other server of this host sees it, as it would a cookie. */
const key = 'holdfast-dashboard-token'

let token = stored()

/** What opens a dashboard that has a server of its own; in an application none is needed. */
export const authorization = (): Record<string, string> =>
  token === null ? {} : { authorization: `Bearer ${token}` }

/** Moves the token from the address, which histories keep and people share, into the tab. */
export function takeToken(): void {
  takeFromAddress()
  // An address with a new token, opened in this tab: only its fragment differs, so the browser loads nothing.
  addEventListener('hashchange', () => {
    if (takeFromAddress()) location.reload()
  })
  shareAmongTabs()
}

function takeFromAddress(): boolean {
  const [, found] = /^#token=([\w-]+)$/.exec(location.hash) ?? []
  if (found === undefined) return false
  history.replaceState(null, '', location.pathname + location.search)
  keep(found)
  return true
}

/** A tab that a link opens begins without what the other one stores: it asks, and tabs of this origin answer. */
function shareAmongTabs(): void {
  const channel = new BroadcastChannel(key)
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'who knows it?') {
      if (token !== null) channel.postMessage({ token })
    } else if (token === null && isToken(data) && keep(data.token)) {
      location.reload()
    }
  }
  if (token === null) channel.postMessage('who knows it?')
}

const isToken = (data: unknown): data is { readonly token: string } =>
  typeof data === 'object' && data !== null && 'token' in data && typeof data.token === 'string'

/** Returns whether it survives a reload. */
function keep(found: string): boolean {
  token = found
  try {
    sessionStorage.setItem(key, found)
    return true
  } catch {
    return false
  }
}

function stored(): string | null {
  try {
    return sessionStorage.getItem(key)
  } catch {
    return null
  }
}
