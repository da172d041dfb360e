import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Listing, Row } from '../src/dashboard/shared/payloads.js'
import { visibleName } from '../src/dashboard/shared/visible-name.js'
import { Named } from './details.js'
import { formatMs, plural } from './format.js'
import { kindName, Name, OwnerName } from './name.js'
import { usePolled } from './poll.js'

/** The name in the address, so that a link leads to one; '': none. */
function useChosen(): string {
  const [hash, setHash] = useState(location.hash)
  useEffect(() => {
    const follow = (): void => setHash(location.hash)
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  try {
    return decodeURIComponent(hash.replace(/^#\/?/, ''))
  } catch {
    return ''
  }
}

const linkTo = (name: string): string => `#/${encodeURIComponent(name)}`

export function App() {
  const chosen = useChosen()
  const [filter, setFilter] = useState('')
  const { value: listing, error } = usePolled<Listing>('list')
  useEffect(() => {
    document.title = chosen === '' ? 'Holdfast' : `${visibleName(chosen)} · Holdfast`
  }, [chosen])
  const wanted = filter.trim().toLowerCase()
  const rows = (listing?.rows ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  return (
    <>
      <header>
        <a class="brand" href="#/">
          <svg viewBox="0 0 32 32" aria-hidden="true">
            <path d="M10 15v-4a6 6 0 0 1 12 0v4" />
            <rect x="7" y="15" width="18" height="11" rx="2.5" />
          </svg>
          Holdfast
        </a>
        <form
          role="search"
          onSubmit={(event) => {
            event.preventDefault()
            if (filter.trim() !== '') location.hash = linkTo(filter.trim())
          }}
        >
          <input
            type="search"
            aria-label="Find a lock: filter the list, or press Enter to look up this very name"
            placeholder="Filter, or look up a name ⏎"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </form>
        <p class={error === null ? 'pulse' : 'pulse bad'}>
          {error !== null ? 'Not live' : listing ? 'Live' : 'Connecting …'}
        </p>
      </header>
      {error !== null && (
        <p class="banner" role="alert">
          {error} {listing ? 'What is shown is from before.' : 'What is held is not known.'}
        </p>
      )}
      <main class={chosen === '' ? '' : 'split'}>
        <section aria-label="Locks" class={error === null ? 'list' : 'list stale'}>
          {listing && <Summary listing={listing} />}
          {listing && rows.length > 0 && <Table rows={rows} chosen={chosen} />}
          {listing && rows.length === 0 && (
            <p class="nothing">
              {listing.rows.length === 0
                ? 'Nothing is held, and no client waits.'
                : 'No name in the list contains this. Press Enter to look up this very name.'}
            </p>
          )}
        </section>
        {chosen !== '' && <Named key={chosen} name={chosen} />}
      </main>
    </>
  )
}

function Summary({ listing: { rows, count, clients, silent, isPartial } }: { listing: Listing }) {
  const waiting = rows.reduce((sum, { waiterCount }) => sum + waiterCount, 0)
  return (
    <>
      <dl class="figures">
        <Figure title="In use">{count}</Figure>
        <Figure title="Waiting">{waiting}</Figure>
        <Figure title="Clients">{clients}</Figure>
      </dl>
      {silent > 0 && (
        <p class="note">
          {plural(silent, 'client')} did not report, frozen or busy: what they hold is missing here. Look up a
          name to read it from the store.
        </p>
      )}
      {count > rows.length && <p class="note">The list has {rows.length} of them.</p>}
      {isPartial && <p class="note">Some clients have more than their reports list.</p>}
    </>
  )
}

const Figure = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <div>
    <dt>{title}</dt>
    <dd>{children}</dd>
  </div>
)

function Table({ rows, chosen }: { rows: readonly Row[]; chosen: string }) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What is held and waited for">
      <table>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Held by</th>
            <th scope="col" class="number">
              For
            </th>
            <th scope="col" class="number">
              Lease left
            </th>
            <th scope="col" class="number">
              Waiting
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={`${row.object} ${row.name}`} class={row.name === chosen ? 'chosen' : ''}>
              <th scope="row">
                <a href={linkTo(row.name)} {...(row.name === chosen && { 'aria-current': 'true' as const })}>
                  <Name text={row.name} />
                </a>
                {row.object !== 'lock' && <span class="tag">{kindName(row.object)}</span>}
              </th>
              <td>
                {row.holder ? <OwnerName {...row.holder} /> : <span class="quiet">–</span>}
                {row.holderCount > 1 && <span class="tag">+{row.holderCount - 1}</span>}
              </td>
              <td class="number">{formatMs(row.heldMs)}</td>
              <td class="number">{formatMs(row.remainingMs)}</td>
              <td class="number">
                {row.waiterCount > 0 && (
                  <span class="waiting" title={`the longest for ${formatMs(row.longestWaitMs)}`}>
                    {row.waiterCount}
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
