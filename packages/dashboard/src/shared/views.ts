/** What a page may ask the server to show, and how that is written in a query. */

export const objectTypes = ['lock', 'read-write-lock', 'semaphore', 'latch'] as const
export type ObjectType = (typeof objectTypes)[number]

export const clientOrders = ['held', 'waiting', 'lost', 'acquired', 'host', 'started'] as const
export type ClientOrder = (typeof clientOrders)[number]

export interface ClientsView {
  readonly page: 'clients'
  readonly order: ClientOrder
  /** Only clients whose host, process id, label or client id contains it. */
  readonly filter: string
  /** Counted from 0. */
  readonly sheet: number
}

export type View =
  | { readonly page: 'overview' }
  | { readonly page: 'locks' }
  | { readonly page: 'lock'; readonly object: ObjectType; readonly name: string }
  | ClientsView
  | { readonly page: 'client'; readonly clientId: string }

export function queryOf(view: View): URLSearchParams {
  return new URLSearchParams(
    Object.entries(view).map(([key, value]): [string, string] => [key, String(value)]),
  )
}

/** The view that a query asks for; `null` if it makes no sense. */
export function viewOf(query: URLSearchParams): View | null {
  const text = (key: string): string => query.get(key) ?? ''
  switch (text('page')) {
    case 'overview':
      return { page: 'overview' }
    case 'locks':
      return { page: 'locks' }
    case 'lock': {
      const object = objectTypes.find((each) => each === text('object'))
      return object && text('name') !== '' ? { page: 'lock', object, name: text('name') } : null
    }
    case 'clients': {
      const order = clientOrders.find((each) => each === text('order')) ?? 'held'
      const sheet = Number(text('sheet'))
      return Number.isInteger(sheet) && sheet >= 0
        ? { page: 'clients', order, filter: text('filter'), sheet }
        : null
    }
    case 'client':
      return text('clientId') === '' ? null : { page: 'client', clientId: text('clientId') }
    default:
      return null
  }
}
