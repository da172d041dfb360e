import { useEffect, useState } from 'preact/hooks'
import {
  clientOrders,
  objectTypes,
  type ClientOrder,
  type ObjectType,
  type View,
} from '../src/shared/views.js'

/** Pages live in the hash, so that addresses work wherever the dashboard is mounted. */

export const toOverview = '#/'
export const toLocks = '#/locks'
export const toLock = (name: string, object: ObjectType): string =>
  `#/locks/${encodeURIComponent(name)}${object === 'lock' ? '' : `?as=${object}`}`
export const toClient = (clientId: string): string => `#/clients/${encodeURIComponent(clientId)}`

export function toClients(order: ClientOrder = 'held', filter = '', sheet = 0): string {
  const query = new URLSearchParams()
  if (order !== 'held') query.set('order', order)
  if (filter !== '') query.set('filter', filter)
  if (sheet > 0) query.set('sheet', String(sheet))
  return `#/clients${query.size === 0 ? '' : `?${String(query)}`}`
}

/** The view of a hash; `null` for one that leads nowhere. */
function viewOfHash(hash: string): View | null {
  const [path = '', search = ''] = hash.replace(/^#\/?/, '').split('?')
  const query = new URLSearchParams(search)
  const [page = '', rest] = path.split('/')
  const name = decode(rest)
  if (page === '' && !rest) return { page: 'overview' }
  if (page === 'locks' && !rest) return { page: 'locks' }
  if (page === 'locks' && name) {
    const object = objectTypes.find((each) => each === (query.get('as') ?? 'lock'))
    return object ? { page: 'lock', object, name } : null
  }
  if (page === 'clients' && !rest) {
    const order = clientOrders.find((each) => each === query.get('order')) ?? 'held'
    const sheet = Math.max(0, Math.floor(Number(query.get('sheet') ?? 0)) || 0)
    return { page: 'clients', order, filter: query.get('filter') ?? '', sheet }
  }
  return page === 'clients' && name ? { page: 'client', clientId: name } : null
}

function decode(text: string | undefined): string | null {
  try {
    return text === undefined ? null : decodeURIComponent(text)
  } catch {
    return null
  }
}

/** The view that the address names now. */
export function useView(): View | null {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return viewOfHash(hash)
}
