import { useEffect, useRef, useState } from 'preact/hooks'
import type { ClientRow, ClientsContent } from '../../src/shared/payloads.js'
import { clientOrders, type ClientOrder, type ClientsView } from '../../src/shared/views.js'
import { formatCount, formatDate, plural } from '../format.js'
import { Nothing, ProcessLink } from '../parts/name.js'
import { Table, type Column } from '../parts/table.js'
import { toClients } from '../route.js'

const columns: readonly Column<ClientRow>[] = [
  {
    title: 'Client',
    cell: (row) => (
      <>
        <ProcessLink process={row} />
        {row.isThisOne && <span class="tag">this dashboard</span>}
        {row.isSilent && <span class="tag bad">unresponsive</span>}
      </>
    ),
  },
  { title: 'Holds', isNumber: true, cell: (row) => formatCount(row.held) },
  { title: 'Waits', isNumber: true, cell: (row) => formatCount(row.waiting) },
  { title: 'Acquired', isNumber: true, cell: (row) => formatCount(row.acquired) },
  { title: 'Lost', isNumber: true, cell: (row) => formatCount(row.lost) },
  { title: 'Started', isNumber: true, cell: (row) => formatDate(row.startedAt) },
]

const orderNames: Readonly<Record<ClientOrder, string>> = {
  held: 'most holds',
  waiting: 'most waits',
  lost: 'most losses',
  acquired: 'most acquisitions',
  host: 'host',
  started: 'started last',
}

const typingEndsAfterMs = 250

export function Clients({ content, view }: { content: ClientsContent; view: ClientsView }) {
  const { rows, matching } = content
  const [filter, setFilter] = useState(view.filter)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // Another link, or Back, has led here. What is being typed stays.
  useEffect(() => {
    if (timer.current === undefined) setFilter(view.filter)
  }, [view.filter])
  const go = (order: ClientOrder, wanted: string, afterMs = 0): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      timer.current = undefined
      location.replace(toClients(order, wanted))
    }, afterMs)
  }
  return (
    <>
      <form class="find" onSubmit={(event) => event.preventDefault()}>
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          value={filter}
          placeholder="host, process id or label"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            setFilter(event.currentTarget.value)
            go(view.order, event.currentTarget.value, typingEndsAfterMs)
          }}
        />
        <label for="order">Sort by</label>
        <select
          id="order"
          value={view.order}
          onChange={(event) => {
            const order = clientOrders.find((each) => each === event.currentTarget.value)
            if (order) go(order, filter)
          }}
        >
          {clientOrders.map((order) => (
            <option key={order} value={order}>
              {orderNames[order]}
            </option>
          ))}
        </select>
      </form>
      {rows.length === 0 ? (
        <Nothing>
          {view.filter === ''
            ? 'No client is connected.'
            : 'No client that is connected matches this filter.'}
        </Nothing>
      ) : (
        <Table caption="Connected clients" columns={columns} rows={rows} keyOf={(row) => row.clientId} />
      )}
      <Sheets view={view} content={content} />
      <p class="more">
        {plural(matching, 'client')}. A client is listed while it holds or waits for something, and for a
        short while afterwards. An unresponsive client is connected but not reporting: its process is frozen,
        busy, or older than this dashboard.
      </p>
    </>
  )
}

function Sheets({ view, content }: { view: ClientsView; content: ClientsContent }) {
  const { sheet, sheets } = content
  if (sheets <= 1) return null
  const { order, filter } = view
  return (
    <nav class="sheets" aria-label="Pages of clients">
      {sheet > 0 && <a href={toClients(order, filter, sheet - 1)}>Previous</a>}
      <span>
        {formatCount(sheet + 1)} of {formatCount(sheets)}
      </span>
      {sheet + 1 < sheets && <a href={toClients(order, filter, sheet + 1)}>Next</a>}
    </nav>
  )
}
