import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Findings, FoundLock } from '../../src/shared/payloads.js'
import { formatCount, formatMs, plural } from '../format.js'
import { failureOf, isJson } from '../replies.js'
import { toLock } from '../route.js'
import { authorization } from '../token.js'
import { countedDown, LockLink, Name, Nothing, permitsTaken } from './name.js'
import { Table, type Column } from './table.js'

type Search =
  | { readonly is: 'none' }
  | { readonly is: 'running' }
  | { readonly is: 'done'; readonly text: string; readonly findings: Findings }
  | { readonly is: 'failed'; readonly message: string }

const columns: readonly Column<FoundLock>[] = [
  { title: 'Lock', cell: (lock) => <LockLink name={lock.name} object={lock.object} /> },
  { title: 'Holder', cell: (lock) => stateOf(lock) },
  { title: 'Waiting', isNumber: true, cell: (lock) => formatCount(lock.waiterCount) },
  {
    title: 'Lease left',
    isNumber: true,
    cell: ({ holder, remainingMs }) => formatMs(holder === null ? null : remainingMs),
  },
]

/** Who holds it. A latch has parties, and no holder. */
function stateOf({ object, holder, holderCount, semaphore, parties }: FoundLock) {
  if (object === 'latch') return countedDown(parties)
  if (holder === null) return 'free'
  return (
    <>
      {semaphore && `${permitsTaken(semaphore)}, `}
      <span class="owner">{holder}</span>
      {holderCount > 1 && ` and ${plural(holderCount - 1, 'other')}`}
    </>
  )
}

/** Searches the store for names. Only when asked to: the store looks at all of its keys for it. */
export function FindLock() {
  const [text, setText] = useState('')
  const [search, setSearch] = useState<Search>({ is: 'none' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])

  const find = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    running.current?.abort()
    const { signal } = (running.current = new AbortController())
    setSearch({ is: 'running' })
    try {
      const response = await fetch(`find?${String(new URLSearchParams({ pattern: text }))}`, {
        signal,
        headers: authorization(),
      })
      if (response.ok && isJson(response))
        setSearch({ is: 'done', text, findings: (await response.json()) as Findings })
      else setSearch({ is: 'failed', message: await failureOf(response) })
    } catch {
      if (!signal.aborted) setSearch({ is: 'failed', message: 'The dashboard cannot be reached.' })
    }
  }

  return (
    <section>
      <form role="search" class="find" onSubmit={(event) => void find(event)}>
        <label for="find">Find a lock</label>
        <input
          id="find"
          type="search"
          value={text}
          placeholder="part of a name, or a pattern such as order:*"
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" disabled={text === ''}>
          Find
        </button>
      </form>
      <div role="status" class="findings-status">
        {statusOf(search)}
      </div>
      {search.is === 'done' && <Result text={search.text} findings={search.findings} />}
    </section>
  )
}

function statusOf(search: Search): string {
  switch (search.is) {
    case 'none':
      return ''
    case 'running':
      return 'Searching the store …'
    case 'failed':
      return `The search failed: ${search.message}`
    case 'done': {
      const { locks, scanned, total, isComplete } = search.findings
      const looked = isComplete
        ? 'all of the store'
        : `${formatCount(scanned)} of about ${formatCount(total)} entries`
      return `${plural(locks.length, 'lock')} found in ${looked}.`
    }
  }
}

function Result({ text, findings }: { text: string; findings: Findings }) {
  if (findings.locks.length > 0) {
    return (
      <Table
        caption="Locks that were found"
        columns={columns}
        rows={findings.locks}
        keyOf={(lock) => `${lock.object} ${lock.name}`}
      />
    )
  }
  return (
    <Nothing>
      No lock that is held or waited for has such a name. You can still{' '}
      <a href={toLock(text, 'lock')}>
        watch <Name text={text} />
      </a>{' '}
      and see who takes it.
    </Nothing>
  )
}
