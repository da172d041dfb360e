import type { LockHolder } from '../../src/shared/payloads.js'
import { formatMs, plural } from '../format.js'
import { kindName, ProcessLink } from './name.js'
import { Table, type Column } from './table.js'

interface HoldersProps {
  readonly holders: readonly LockHolder[]
  /** Called to begin an eviction; `null` where that is not possible. */
  readonly evict: ((holder: LockHolder) => void) | null
}

const columns: readonly Column<LockHolder>[] = [
  { title: 'Client', cell: ({ process }) => <ProcessLink process={process} /> },
  {
    title: 'As',
    cell: ({ kind, permits, holdCount }) =>
      kind === 'semaphore'
        ? plural(permits, 'permit')
        : `${kindName(kind)}${holdCount > 1 ? `, entered ${holdCount} times` : ''}`,
  },
  { title: 'For', isNumber: true, cell: ({ heldMs }) => formatMs(heldMs) },
  { title: 'Lease left', isNumber: true, cell: ({ remainingMs }) => formatMs(remainingMs) },
  { title: 'Owner', cell: ({ owner }) => <span class="owner">{owner}</span> },
]

export function Holders({ holders, evict }: HoldersProps) {
  const action: Column<LockHolder>[] = evict
    ? [
        {
          title: 'Action',
          isPinned: true,
          cell: (holder) => (
            <button type="button" class="danger" onClick={() => evict(holder)}>
              Evict<span class="unseen"> {holder.owner}</span>
            </button>
          ),
        },
      ]
    : []
  return (
    <Table
      caption="Who holds it"
      columns={[...columns, ...action]}
      rows={holders}
      keyOf={({ owner }) => owner}
      fold="holders"
    />
  )
}
