import { useState } from 'preact/hooks'
import type { HistoryEntry, LockContent, LockHolder, LockWaiter } from '../../src/shared/payloads.js'
import { formatCount, formatInstant, formatMs, formatTime, plural } from '../format.js'
import { Chart } from '../parts/chart.js'
import { EvictDialog } from '../parts/evict-dialog.js'
import { Holders } from '../parts/holders.js'
import { kindName, Nothing, ProcessLink, wanted } from '../parts/name.js'
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
  const next = waiters.slice(0, shownWaiters)
  return (
    <>
      {facts !== null && <p class="facts">{facts}</p>}
      {content.object !== 'latch' && (
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
        <h2>{waiterCount === 0 ? 'Queue' : `Queue: ${plural(waiterCount, 'waiter')}`}</h2>
        {next.length === 0 ? (
          <Nothing>No client waits.</Nothing>
        ) : (
          <Table
            caption="Waiters, the next one first"
            columns={waiterColumns}
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

function factsOf({ object, size, left, fencingToken, holders, holderCount }: LockContent): string | null {
  if (object === 'latch') {
    if (size === null) return 'This latch is not set.'
    return left === 0
      ? `This latch is open. Parties that have counted down: ${formatCount(size)}.`
      : `Still to count down: ${formatCount(left ?? 0)} of ${plural(size, 'party', 'parties')}.`
  }
  if (object === 'semaphore') {
    const held = holders.reduce((sum, { permits }) => sum + permits, 0)
    return `${holders.length < holderCount ? 'At least ' : ''}${plural(held, 'permit')} held.`
  }
  return fencingToken === 0 ? null : `Last fencing token: ${fencingToken}.`
}

const waiterColumns: readonly Column<LockWaiter & { position: number }>[] = [
  { title: '#', isNumber: true, cell: ({ position }) => formatCount(position) },
  { title: 'Client', cell: ({ process }) => <ProcessLink process={process} /> },
  { title: 'Wants', cell: wanted },
  { title: 'Has waited', isNumber: true, cell: ({ waitedMs }) => formatMs(waitedMs) },
  { title: 'Owner', cell: ({ owner }) => <span class="owner">{owner}</span> },
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
        title="Queue"
        at={queueLengths.map(({ at }) => at)}
        everyMs={everyMs}
        series={[
          {
            title: 'waiting',
            colour: 'two',
            values: queueLengths.map((each) => each.waiters),
            format: (count) => (count === null ? '–' : formatCount(count)),
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
