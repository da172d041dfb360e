import type { ContendedRow, HoldRow, Loss } from '../../src/shared/payloads.js'
import { formatCount, formatInstant, formatMs } from '../format.js'
import { kindName, LockLink, ProcessLink } from './name.js'
import { Table, type Column } from './table.js'

const contendedColumns: readonly Column<ContendedRow>[] = [
  { title: 'Lock', cell: (row) => <LockLink name={row.name} object={row.object} /> },
  { title: 'Waiting', isNumber: true, cell: (row) => formatCount(row.waiterCount) },
  { title: 'Longest wait', isNumber: true, cell: (row) => formatMs(row.longestWaitMs) },
  {
    title: 'Held by',
    cell: (row) => (row.holder ? <ProcessLink process={row.holder.process} /> : 'several, or changing'),
  },
  { title: 'For', isNumber: true, cell: (row) => formatMs(row.heldMs) },
]

export const ContendedTable = ({ rows }: { rows: readonly ContendedRow[] }) => (
  <Table
    caption="Contended locks, the longest queues first"
    columns={contendedColumns}
    rows={rows}
    keyOf={(row) => `${row.object} ${row.name}`}
  />
)

const lossColumns: readonly Column<Loss>[] = [
  { title: 'Lock', cell: (loss) => <LockLink name={loss.name} object={loss.object} /> },
  { title: 'Reason', cell: (loss) => loss.reason },
  { title: 'Lost by', cell: (loss) => <ProcessLink process={loss.process} /> },
  {
    title: 'At',
    isNumber: true,
    cell: (loss) => <time dateTime={new Date(loss.at).toISOString()}>{formatInstant(loss.at)}</time>,
  },
]

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

const heldAs = ({ kind, permits }: Pick<HoldRow, 'kind' | 'permits'>): string =>
  kind === 'semaphore' ? `${formatCount(permits)} of a semaphore` : kindName(kind)

interface HoldTableProps {
  readonly caption: string
  readonly rows: readonly HoldRow[]
  readonly hasHolder: boolean
}

export const HoldTable = ({ caption, rows, hasHolder }: HoldTableProps) => (
  <Table
    caption={caption}
    columns={hasHolder ? [...holdColumns.slice(0, 2), holderColumn, ...holdColumns.slice(2)] : holdColumns}
    rows={rows}
    keyOf={(hold) => `${hold.holder.owner} ${hold.object} ${hold.name}`}
  />
)
