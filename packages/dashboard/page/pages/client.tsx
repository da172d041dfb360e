import type { ClientContent, WaitRow } from '../../src/shared/payloads.js'
import { formatCount, formatDate, formatMs } from '../format.js'
import { HoldTable, LossTable } from '../parts/lock-tables.js'
import { LockLink, Name, Nothing, wanted } from '../parts/name.js'
import { Table, type Column } from '../parts/table.js'
import { toClients } from '../route.js'

const waitColumns: readonly Column<WaitRow>[] = [
  { title: 'Lock', cell: (wait) => <LockLink name={wait.name} object={wait.object} /> },
  { title: 'Wants', cell: wanted },
  {
    title: 'Position',
    isNumber: true,
    cell: (wait) => (wait.position === 0 ? '–' : formatCount(wait.position)),
  },
  { title: 'Has waited', isNumber: true, cell: (wait) => formatMs(wait.waitedMs) },
  { title: 'Behind', cell: (wait) => (wait.holder === '' ? '–' : <span class="owner">{wait.holder}</span>) },
]

export function ClientPage({ content }: { content: ClientContent }) {
  const { client, holds, queue, losses } = content
  if (!client) {
    return (
      <Nothing>
        This client is not listed: it has disconnected, or has neither held nor waited for anything lately.{' '}
        <a href={toClients()}>All clients</a>
      </Nothing>
    )
  }
  return (
    <>
      <p class="facts">
        <Name text={client.host} />, process {client.pid}
        {client.label !== '' && (
          <>
            , <Name text={client.label} />
          </>
        )}
        , since {formatDate(client.startedAt)}. {formatCount(client.acquired)} acquired,{' '}
        {formatCount(client.lost)} lost.
      </p>
      {client.isSilent && (
        <p class="warning">
          It is connected but not reporting.{' '}
          {client.held === null
            ? 'Its process may be frozen or busy, or older than this dashboard.'
            : 'Its process may be frozen or busy: what is shown here is what it said last.'}
        </p>
      )}
      <section>
        <h2>Holds {formatCount(client.held)}</h2>
        {holds.length === 0 ? (
          <Nothing>{client.held === null ? 'It has not reported yet.' : 'It holds nothing.'}</Nothing>
        ) : (
          <HoldTable caption="What it holds" rows={holds} hasHolder={false} />
        )}
        {holds.length < (client.held ?? 0) && <p class="more">The oldest {formatCount(holds.length)}.</p>}
      </section>
      <section>
        <h2>Waits for {formatCount(client.waiting)}</h2>
        {queue.length === 0 ? (
          <Nothing>{client.waiting === null ? 'It has not reported yet.' : 'It waits for nothing.'}</Nothing>
        ) : (
          <Table
            caption="What it waits for"
            columns={waitColumns}
            rows={queue}
            keyOf={(wait) => wait.owner}
          />
        )}
        {queue.length < (client.waiting ?? 0) && <p class="more">The oldest {formatCount(queue.length)}.</p>}
      </section>
      {losses.length > 0 && (
        <section>
          <h2>Lost</h2>
          <LossTable rows={losses} />
        </section>
      )}
    </>
  )
}
