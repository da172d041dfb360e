import { useEffect, useRef, useState } from 'preact/hooks'
import type { StoreState } from '../src/shared/payloads.js'
import { queryOf, type View } from '../src/shared/views.js'
import { visibleName } from '../src/shared/visible-name.js'
import { Feed, type FeedState } from './feed.js'
import { ClientPage } from './pages/client.js'
import { Clients } from './pages/clients.js'
import { LockPage } from './pages/lock.js'
import { Locks } from './pages/locks.js'
import { Overview } from './pages/overview.js'
import { Banner, Pulse } from './parts/banner.js'
import { kindName, Name, Nothing } from './parts/name.js'
import { toClients, toLocks, toOverview, useView } from './route.js'

const nothingYet: FeedState = { connection: { is: 'connecting' }, update: null, samples: [] }

interface Shown {
  readonly place: string
  readonly state: FeedState
}

/** The feed of a view. A place keeps what it shows until its next view is there; what another place showed never appears in it. */
function useFeed(view: View | null, place: string): FeedState {
  const key = view ? String(queryOf(view)) : ''
  const [shown, setShown] = useState<Shown>({ place, state: nothingYet })
  useEffect(() => {
    if (!view) return
    const feed = new Feed(view, (state) =>
      setShown((before) => {
        const update = state.update ?? (before.place === place ? before.state.update : null)
        return { place, state: { ...state, update } }
      }),
    )
    return () => feed.close()
  }, [key])
  return shown.place === place ? shown.state : nothingYet
}

export function App() {
  const view = useView()
  const place = placeOf(view)
  const state = useFeed(view, place)
  const heading = useRef<HTMLHeadingElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    document.title = `${titleOf(view)} · Holdfast`
    // A link has led here: what a screen reader reads next is this page.
    if (!isFirst.current) heading.current?.focus()
    isFirst.current = false
  }, [place])

  const { update, connection } = state
  const store = update?.store ?? { is: 'starting' }
  const isStale = (connection.is !== 'live' && connection.is !== 'connecting') || isInTrouble(store)
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event, heading.current)}>
        Skip to the content
      </a>
      <header>
        <a class="brand" href={toOverview}>
          Holdfast
        </a>
        <nav aria-label="Pages">
          <Tab href={toOverview} title="Overview" isCurrent={view?.page === 'overview'} />
          <Tab href={toLocks} title="Locks" isCurrent={view?.page === 'locks' || view?.page === 'lock'} />
          <Tab
            href={toClients()}
            title="Clients"
            isCurrent={view?.page === 'clients' || view?.page === 'client'}
          />
        </nav>
        {view && <Pulse connection={connection} store={store} everyMs={update?.everyMs ?? 0} />}
      </header>
      <Banner connection={connection} store={store} hasFigures={update?.content != null} />
      <main id="main" class={isStale ? 'stale' : ''} aria-busy={view !== null && update === null}>
        <h1 ref={heading} tabIndex={-1}>
          <Heading view={view} />
        </h1>
        {view ? <Page view={view} state={state} /> : <Nothing>There is no such page.</Nothing>}
      </main>
    </>
  )
}

const isInTrouble = ({ is }: StoreState): boolean => is === 'failing' || is === 'refusing'

/** The hash names the page, so an ordinary link to an anchor would leave it. */
function skipTo(event: Event, heading: HTMLElement | null): void {
  event.preventDefault()
  heading?.focus()
}

function Tab({ href, title, isCurrent }: { href: string; title: string; isCurrent: boolean }) {
  return (
    <a href={href} {...(isCurrent && { 'aria-current': 'page' as const })}>
      {title}
    </a>
  )
}

function Page({ view, state: { connection, update, samples } }: { view: View; state: FeedState }) {
  const content = update?.content
  if (!update || !content) {
    const isReading = connection.is === 'connecting' || connection.is === 'live'
    if (isReading && !(update && isInTrouble(update.store)))
      return <Nothing>Reading from the store …</Nothing>
    return (
      <Nothing>
        There are no figures: nothing has been seen since this page was opened. What is held, and who waits,
        is not known.
      </Nothing>
    )
  }
  switch (content.page) {
    case 'overview':
      return (
        update.totals && (
          <Overview content={content} totals={update.totals} samples={samples} everyMs={update.everyMs} />
        )
      )
    case 'locks':
      return <Locks content={content} />
    case 'lock':
      return <LockPage content={content} isReadOnly={update.isReadOnly} everyMs={update.everyMs} />
    case 'clients':
      return view.page === 'clients' ? <Clients content={content} view={view} /> : null
    case 'client':
      return <ClientPage content={content} />
  }
}

function Heading({ view }: { view: View | null }) {
  if (view?.page === 'lock') {
    return (
      <>
        <Name text={view.name} />
        {view.object !== 'lock' && <span class="tag">{kindName(view.object)}</span>}
      </>
    )
  }
  if (view?.page === 'client') {
    return (
      <>
        Client <Name text={view.clientId} />
      </>
    )
  }
  return <>{titleOf(view)}</>
}

function titleOf(view: View | null): string {
  switch (view?.page) {
    case 'overview':
      return 'Overview'
    case 'locks':
      return 'Locks'
    case 'clients':
      return 'Clients'
    case 'lock':
      return visibleName(view.name)
    case 'client':
      return `Client ${view.clientId}`
    case undefined:
      return 'No such page'
  }
}

/** A new filter or sheet is the same place. */
function placeOf(view: View | null): string {
  if (view?.page === 'lock') return `lock ${view.object} ${view.name}`
  return view?.page === 'client' ? `client ${view.clientId}` : (view?.page ?? '')
}
