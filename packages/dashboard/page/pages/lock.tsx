import { useState } from 'preact/hooks'
import type { HistoryEntry, LockContent, LockHolder, LockWaiter } from '../../src/shared/payloads.js'
import { formatCount, formatInstant, formatMs, formatTime, plural } from '../format.js'
import { Chart } from '../parts/chart.js'
import { EvictDialog } from '../parts/evict-dialog.js'
import { Holders } from '../parts/holders.js'
import { countedDown, kindName, Name, Nothing, permitsTaken, ProcessLink, wanted } from '../parts/name.js'
import { Table, type Column } from '../parts/table.js'

const shownWaiters = 25

interface LockProps {
  readonly content: LockContent
  readonly isReadOnly: boolean
  readonly everyMs: number
}

export function LockPage({ content, isReadOnly, everyMs }: LockProps) {
  const [victim, setVictim] = useState<LockHolder | null>(null)
  const { holders, holderCount, waiters, waiterCount } = content
  const facts = factsOf(content)
  const isLatch = content.object === 'latch'
  const next = waiters.slice(0, shownWaiters)
  return (
    <>
      {facts !== null && <p class="facts">{facts}</p>}
      {isLatch ? (
        <Parties parties={content.parties} />
      ) : (
        <section>
          <h2>{holderCount > 1 ? `${formatCount(holderCount)} holders` : 'Holder'}</h2>
          {holders.length === 0 ? (
            <Nothing>Free. It appears here as soon as a client takes it, while this page is open.</Nothing>
          ) : (
            <Holders holders={holders} evict={isReadOnly ? null : setVictim} />
          )}
          {holders.length < holderCount && <p class="more">The first {formatCount(holders.length)}.</p>}
        </section>
      )}
      <section>
        <h2>
          {isLatch ? 'Waiting' : 'Queue'}
          {waiterCount > 0 && `: ${plural(waiterCount, isLatch ? 'client' : 'waiter')}`}
        </h2>
        {next.length === 0 ? (
          <Nothing>No client waits.</Nothing>
        ) : (
          <Table
            caption={isLatch ? 'Clients that wait' : 'Waiters, the next one first'}
            columns={isLatch ? latchWaiterColumns : waiterColumns}
            rows={next.map((waiter, i) => ({ ...waiter, position: i + 1 }))}
            keyOf={(waiter) => waiter.owner}
          />
        )}
        {next.length < waiterCount && <p class="more">The first {formatCount(next.length)}.</p>}
      </section>
      <History content={content} everyMs={everyMs} />
      {victim && <EvictDialog name={content.name} victim={victim} close={() => setVictim(null)} />}
    </>
  )
}

function factsOf({ semaphore, fencingToken }: LockContent): string | null {
  if (semaphore) {
    const unknown = 'No process that uses it has said how many there are in all.'
    return `${permitsTaken(semaphore)} taken.${semaphore.all === null ? ` ${unknown}` : ''}`
  }
  return fencingToken === 0 ? null : `Last known fencing token: ${fencingToken}.`
}

function Parties({ parties }: Pick<LockContent, 'parties'>) {
  const counted = parties?.counted ?? []
  return (
    <section>
      <h2>Parties</h2>
      {parties ? (
        <p class="facts">
          {countedDown(parties)}
          {counted.map((party, i) => (
            <>
              {i === 0 ? ': ' : ', '}
              <Name text={party} />
            </>
          ))}
        </p>
      ) : (
        <Nothing>This latch is not set.</Nothing>
      )}
    </section>
  )
}

const waiterColumns: readonly Column<LockWaiter & { position: number }>[] = [
  { title: '#', isNumber: true, cell: ({ position }) => formatCount(position) },
  { title: 'Client', cell: ({ process }) => <ProcessLink process={process} /> },
  { title: 'Wants', cell: wanted },
  { title: 'Has waited', isNumber: true, cell: ({ waitedMs }) => formatMs(waitedMs) },
  { title: 'Owner', cell: ({ owner }) => <span class="owner">{owner}</span> },
]

/** It lets all of them through at once: there is no order. */
const latchWaiterColumns: readonly Column<LockWaiter & { position: number }>[] = [
  { title: 'Client', cell: ({ process }) => <ProcessLink process={process} /> },
  { title: 'Has waited', isNumber: true, cell: ({ waitedMs }) => formatMs(waitedMs) },
]

const historyColumns: readonly Column<HistoryEntry>[] = [
  { title: 'Held by', cell: ({ process }) => <ProcessLink process={process} /> },
  { title: 'As', cell: ({ kind }) => kindName(kind) },
  { title: 'From', isNumber: true, cell: ({ from }) => formatInstant(from) },
  {
    title: 'Last seen',
    isNumber: true,
    cell: ({ isOver, lastSeen }) => (isOver ? formatTime(lastSeen) : 'now'),
  },
  { title: 'For at least', isNumber: true, cell: ({ from, lastSeen }) => formatMs(lastSeen - from) },
  { title: 'Owner', cell: ({ owner }) => <span class="owner">{owner}</span> },
]

function History({ content, everyMs }: Pick<LockProps, 'content' | 'everyMs'>) {
  const { history, queueLengths, watchedSince } = content
  return (
    <section>
      <h2>While watched</h2>
      <Chart
        title={content.object === 'latch' ? 'Clients that wait' : 'Queue'}
        at={queueLengths.map(({ at }) => at)}
        everyMs={everyMs}
        series={[
          {
            title: 'waiting',
            colour: 'two',
            values: queueLengths.map((each) => each.waiters),
            format: formatCount,
          },
        ]}
      />
      {content.object !== 'latch' && <Holds history={history} />}
      <p class="more">Watched since {formatTime(watchedSince)}.</p>
    </section>
  )
}

function Holds({ history }: Pick<LockContent, 'history'>) {
  return (
    <>
      {history.length === 0 ? (
        <Nothing>No hold has been seen in the last 10 minutes.</Nothing>
      ) : (
        <Table
          caption="Holds that were seen, the newest first"
          columns={historyColumns}
          rows={history}
          keyOf={({ owner, from }) => `${owner} ${from}`}
        />
      )}
      <p class="more">
        The last 10 minutes, at most 200 holds. Holds that began and ended between two polls are not in it.
      </p>
    </>
  )
}
