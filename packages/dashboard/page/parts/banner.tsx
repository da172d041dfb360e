import type { StoreState } from '../../src/shared/payloads.js'
import type { Connection } from '../feed.js'
import { formatInstant } from '../format.js'

interface StateProps {
  readonly connection: Connection
  readonly store: StoreState
  readonly everyMs: number
  /** Whether anything is shown at all. */
  readonly hasFigures: boolean
}

/** In one line, whether what is shown is current. */
export function Pulse({ connection, store, everyMs }: Omit<StateProps, 'hasFigures'>) {
  const [look, text] = pulseOf(connection, store, everyMs)
  return <span class={`pulse ${look}`}>{text}</span>
}

function pulseOf(connection: Connection, store: StoreState, everyMs: number): [look: string, text: string] {
  switch (connection.is) {
    case 'connecting':
      return ['', 'Connecting']
    case 'paused':
      return ['', 'Paused']
    case 'lost':
      return ['bad', 'Disconnected']
    case 'refused':
      return ['bad', 'Refused']
    case 'live': {
      if (store.is === 'starting') return ['', 'Reading']
      if (store.is === 'failing') return ['bad', 'Store unreachable']
      if (store.is === 'refusing') return ['bad', 'Store refuses']
      const seconds = Math.round(everyMs / 100) / 10
      return ['good', `Live, every ${seconds} s${connection.via === 'polling' ? ' (polling)' : ''}`]
    }
  }
}

/** What is wrong, and what to do about it. A live region, so it only changes when the state does. */
export const Banner = ({ connection, store, hasFigures }: Omit<StateProps, 'everyMs'>) => (
  <div role="status" aria-live="polite" class="banner-place">
    {troubleOf(connection, store, hasFigures)}
  </div>
)

function troubleOf(connection: Connection, store: StoreState, hasFigures: boolean) {
  const figures = hasFigures ? 'The figures below are from before.' : 'There are no figures.'
  if (connection.is === 'lost') {
    return (
      <div class="banner">
        <strong>The dashboard has not answered since {formatInstant(connection.since)}.</strong> {figures} The
        page goes on trying; if this lasts, check that the process that serves it is running, and that a proxy
        lets it through.
      </div>
    )
  }
  if (connection.is === 'refused') {
    return (
      <div class="banner">
        <strong>The dashboard refused: {connection.message}</strong> {remedyOf(connection)}
      </div>
    )
  }
  if (connection.is === 'live' && store.is === 'refusing') {
    return (
      <div class="banner">
        <strong>The store refuses this dashboard.</strong> {figures} It answers, so this is no outage, and it
        lasts until what it says below is put right. If that is done at the store, the page goes on by itself;
        if in this process, such as in its URL, restart the process.{' '}
        <span class="detail">{store.message}</span>
      </div>
    )
  }
  if (connection.is === 'live' && store.is === 'failing') {
    return (
      <div class="banner">
        <strong>{unansweredSince(store)}</strong> {figures} Holders keep their locks until their leases end;
        nothing can be acquired. Check that the server is up and that this process can reach it. The page
        recovers by itself. <span class="detail">{store.message}</span>
      </div>
    )
  }
  return null
}

/** Nobody asks while no page is open: the last answer may be long ago, and says less then about how long the store has been down. */
function unansweredSince({ answeredAt, askedSince }: Extract<StoreState, { is: 'failing' }>): string {
  if (answeredAt === null)
    return `The store has not answered since ${formatInstant(askedSince)}, when it was asked first.`
  return askedSince - answeredAt < 60_000
    ? `The store has not answered since ${formatInstant(answeredAt)}.`
    : `The store has not answered since ${formatInstant(askedSince)}. The last time it did was ${formatInstant(answeredAt)}.`
}

function remedyOf({ status, isByDashboard }: Extract<Connection, { is: 'refused' }>): string {
  // The message has said what to do: where the dashboard itself asks for a token there is no sign-in.
  if (status === 401) return isByDashboard ? '' : 'Sign in again.'
  if (status === 403) return 'Sign in as a user who may.'
  // Here, too.
  if (status === 429) return 'The page tries again by itself.'
  return 'Reload the page, or go back.'
}
