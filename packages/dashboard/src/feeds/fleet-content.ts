import type { ClientRow, Content } from '../shared/payloads.js'
import type { ClientOrder, ClientsView, View } from '../shared/views.js'
import type { Fleet } from './fleet.js'

/** How much one page shows, so that what is sent does not grow with the number of locks or clients. */
const shown = { contendedOnOverview: 8, contended: 100, longestHeld: 20, losses: 20, clients: 50 }

/** What a page shows of all clients. */
export function fleetContent(view: Exclude<View, { page: 'lock' }>, fleet: Fleet): Content {
  const contended = fleet.contended()
  switch (view.page) {
    case 'overview':
      return {
        page: 'overview',
        contended: contended.slice(0, shown.contendedOnOverview),
        contendedCount: contended.length,
        losses: fleet.losses(shown.losses),
      }
    case 'locks':
      return {
        page: 'locks',
        contended: contended.slice(0, shown.contended),
        contendedCount: contended.length,
        longestHeld: fleet.longestHeld(shown.longestHeld),
        isPartial: fleet.isPartial(),
      }
    case 'clients': {
      const matching = fleet
        .clients()
        .filter((row) => matches(row, view.filter))
        .sort(comparing(view.order))
      const sheets = Math.max(1, Math.ceil(matching.length / shown.clients))
      const sheet = Math.min(view.sheet, sheets - 1)
      const start = sheet * shown.clients
      return {
        page: 'clients',
        rows: matching.slice(start, start + shown.clients),
        matching: matching.length,
        sheet,
        sheets,
      }
    }
    case 'client':
      return { page: 'client', ...fleet.client(view.clientId) }
  }
}

function matches(row: ClientRow, filter: ClientsView['filter']): boolean {
  const wanted = filter.trim().toLowerCase()
  return [row.host, String(row.pid), row.label, row.clientId].some((text) =>
    text.toLowerCase().includes(wanted),
  )
}

/** Those that have not reported come last. */
function mostFirst(figure: (row: ClientRow) => number | null): (a: ClientRow, b: ClientRow) => number {
  return (a, b) => (figure(b) ?? -1) - (figure(a) ?? -1)
}

const orders: Readonly<Record<ClientOrder, (a: ClientRow, b: ClientRow) => number>> = {
  held: mostFirst(({ held }) => held),
  waiting: mostFirst(({ waiting }) => waiting),
  lost: mostFirst(({ lost }) => lost),
  acquired: mostFirst(({ acquired }) => acquired),
  host: (a, b) => a.host.localeCompare(b.host) || a.pid - b.pid,
  started: (a, b) => b.startedAt - a.startedAt,
}

/** By client id at last, so that rows stay where they are while nothing changes. */
const comparing =
  (order: ClientOrder) =>
  (a: ClientRow, b: ClientRow): number =>
    orders[order](a, b) || (a.clientId < b.clientId ? -1 : 1)
