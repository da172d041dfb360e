import { useEffect, useRef, useState } from 'preact/hooks'
import type { Details, Holder, Named as NamedObjects, Waiter } from '../src/dashboard/shared/payloads.js'
import { EvictDialog } from './evict-dialog.js'
import { formatMs, plural } from './format.js'
import { kindName, Name, OwnerName } from './name.js'
import { usePolled } from './poll.js'

/** All that is in use under a name, as the store has it. */
export function Named({ name }: { name: string }) {
  const { value, error } = usePolled<NamedObjects>(`named?name=${encodeURIComponent(name)}`)
  const [victim, setVictim] = useState<Holder | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  // A link has led here: what a screen reader reads next is this.
  useEffect(() => heading.current?.focus(), [])
  return (
    <section class={error === null ? 'details' : 'details stale'} aria-labelledby="chosen">
      <div class="title">
        <h1 id="chosen" ref={heading} tabIndex={-1}>
          <Name text={name} />
        </h1>
        <a href="#/" class="close" aria-label="Close">
          ×
        </a>
      </div>
      {error !== null && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {value?.objects.map((details) => (
        <One
          key={details.object}
          details={details}
          evict={value.isReadOnly ? null : (holder) => setVictim(holder)}
        />
      ))}
      {victim && <EvictDialog name={name} victim={victim} close={() => setVictim(null)} />}
    </section>
  )
}

interface OneProps {
  readonly details: Details
  readonly evict: ((holder: Holder) => void) | null
}

function One({ details, evict }: OneProps) {
  const { object, holders, holderCount, waiters, waiterCount, fencingToken, parties } = details
  return (
    <section aria-label={kindName(object)}>
      <p class="state">
        <span class="tag">{kindName(object)}</span>
        <span>{stateOf(details)}</span>
        {fencingToken > 0 && <span class="quiet"> · last fencing token {fencingToken}</span>}
      </p>
      {holders.length > 0 && (
        <>
          <h2>Held by</h2>
          <ul class="owners">
            {holders.map((holder) => (
              <li key={holder.owner}>
                <OwnerName {...holder} />
                <span class="quiet">
                  {[
                    ...asOf(holder),
                    `for ${formatMs(holder.heldMs)}`,
                    `${formatMs(holder.remainingMs)} left`,
                  ].join(' · ')}
                </span>
                <code>{holder.owner}</code>
                {evict && (
                  <button type="button" aria-label={`Evict ${holder.owner}`} onClick={() => evict(holder)}>
                    Evict …
                  </button>
                )}
              </li>
            ))}
          </ul>
          <More shown={holders.length} count={holderCount} />
        </>
      )}
      {waiters.length > 0 && (
        <>
          <h2>{object === 'latch' ? 'Waiting' : 'Queue'}</h2>
          <ol class="owners">
            {waiters.map((waiter) => (
              <li key={waiter.owner}>
                <OwnerName {...waiter} />
                <span class="quiet">
                  {[...asOf(waiter), ...(waiter.waitedMs === null ? [] : [formatMs(waiter.waitedMs)])].join(
                    ' · ',
                  )}
                </span>
              </li>
            ))}
          </ol>
          <More shown={waiters.length} count={waiterCount} />
        </>
      )}
      {parties && <progress max={parties.all} value={parties.all - parties.left} />}
    </section>
  )
}

const More = ({ shown, count }: { shown: number; count: number }) =>
  count > shown ? <p class="note">and {count - shown} more</p> : null

function stateOf({ object, holderCount, waiterCount, parties }: Details): string {
  if (object === 'latch') {
    if (!parties) return 'Not set'
    const { all, left } = parties
    return left === 0 ? 'Open' : `${all - left} of ${plural(all, 'party', 'parties')} counted down`
  }
  const queue = waiterCount === 0 ? '' : `, ${plural(waiterCount, 'waiter')}`
  return `${holderCount === 0 ? 'Free' : 'Held'}${queue}`
}

/** As what, where that is not plain: a side of a read/write lock, some permits, entered several times. */
function asOf({ kind, permits, ...more }: Holder | Waiter): string[] {
  const count = 'holdCount' in more ? more.holdCount : 1
  const as =
    kind === 'semaphore'
      ? plural(permits, 'permit')
      : kind === 'lock' || kind === 'latch'
        ? ''
        : kindName(kind)
  return [as, count > 1 ? `entered ${count} times` : ''].filter((part) => part !== '')
}
