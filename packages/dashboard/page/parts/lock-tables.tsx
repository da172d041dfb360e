import type { ContendedRow, HoldRow, Loss } from '../../src/shared/payloads.js'
import { formatCount, formatInstant, formatMs, plural } from '../format.js'
import { kindName, LockLink, permitsTaken, ProcessLink } from './name.js'
import { Table, type Column } from './table.js'

const contendedColumns: readonly Column<ContendedRow>[] = [
  { title: 'Lock', cell: (row) => <LockLink name={row.name} object={row.object} /> },
  { title: 'Held by', cell: (row) => heldBy(row) },
  { title: 'For', isNumber: true, cell: (row) => formatMs(row.heldMs) },
  { title: 'Waiting', isNumber: true, cell: (row) => formatCount(row.waiterCount) },
  { title: 'Longest wait', isNumber: true, cell: (row) => formatMs(row.longestWaitMs) },
]

function heldBy({ object, holder, otherReaders, semaphore }: ContendedRow) {
  if (object === 'latch') return <span class="quiet">parties to come</span>
  if (semaphore && semaphore.owners > 1)
    return `${permitsTaken(semaphore)}, ${plural(semaphore.owners, 'holder')}`
  if (!holder) return semaphore ? permitsTaken(semaphore) : 'several, or changing'
  return (
    <>
      {semaphore && `${permitsTaken(semaphore)}, `}
      <ProcessLink process={holder.process} />
      {otherReaders > 0 && ` and ${plural(otherReaders, 'other')}`}
    </>
  )
}

export const ContendedTable = ({ rows }: { rows: readonly ContendedRow[] }) => (
  <Table
    caption="Contended locks, the longest queues first"
    columns={contendedColumns}
    rows={rows}
    fold="contended"
    keyOf={(row) => `${row.object} ${row.name}`}
  />
)

const lossColumns: readonly Column<Loss>[] = [
  {
    title: 'Lock',
    cell: (loss) => (
      <>
        <LockLink name={loss.name} object={loss.object} />
        {loss.count > 1 && (
          <span class="tag bad">
            {loss.isAtLeast && 'at least '}
            {formatCount(loss.count)} times
          </span>
        )}
      </>
    ),
  },
  { title: 'Reason', cell: (loss) => loss.reason },
  {
    title: 'Lost by',
    cell: (loss) => (
      <>
        <ProcessLink process={loss.process} />
        {loss.otherProcesses > 0 && ` and ${plural(loss.otherProcesses, 'other')}`}
      </>
    ),
  },
  {
    title: 'At',
    isNumber: true,
    cell: ({ count, since, at }) => (
      <>
        {count > 1 && (
          <>
            <Instant at={since} /> –{' '}
          </>
        )}
        <Instant at={at} />
      </>
    ),
  },
]

const Instant = ({ at }: { at: number }) => (
  <time dateTime={new Date(at).toISOString()}>{formatInstant(at)}</time>
)

export const LossTable = ({ rows }: { rows: readonly Loss[] }) => (
  <Table
    caption="Holds that were lost, the newest first"
    columns={lossColumns}
    rows={rows}
    keyOf={(loss) => `${loss.owner} ${loss.name}`}
  />
)

const holdColumns: readonly Column<HoldRow>[] = [
  { title: 'Lock', cell: (hold) => <LockLink name={hold.name} object={hold.object} /> },
  { title: 'Held as', cell: (hold) => heldAs(hold) },
  { title: 'For', isNumber: true, cell: (hold) => formatMs(hold.heldMs) },
  { title: 'Lease left', isNumber: true, cell: (hold) => formatMs(hold.remainingMs) },
]

const holderColumn: Column<HoldRow> = {
  title: 'Held by',
  cell: (hold) => <ProcessLink process={hold.holder.process} />,
}

/** `2 of 3 permits`; where others have some, too, `1 permit, 2 of 3 taken` */
function heldAs({ kind, permits, semaphore }: HoldRow): string {
  if (!semaphore) return kindName(kind)
  if (semaphore.owners === 1) return permitsTaken(semaphore)
  const of = semaphore.all === null ? '' : ` of ${formatCount(semaphore.all)}`
  return `${plural(permits, 'permit')}, ${formatCount(semaphore.taken)}${of} taken`
}

interface HoldTableProps {
  readonly caption: string
  readonly rows: readonly HoldRow[]
  readonly hasHolder: boolean
}

export const HoldTable = ({ caption, rows, hasHolder }: HoldTableProps) => (
  <Table
    caption={caption}
    columns={hasHolder ? [...holdColumns.slice(0, 1), holderColumn, ...holdColumns.slice(1)] : holdColumns}
    rows={rows}
    keyOf={(hold) => `${hold.holder.owner} ${hold.object} ${hold.name}`}
  />
)
