import type { ComponentChildren } from 'preact'
import type { Parties, Permits, Process } from '../../src/shared/payloads.js'
import type { ObjectType } from '../../src/shared/views.js'
import { piecesOf, visibleName } from '../../src/shared/visible-name.js'
import { formatCount, plural } from '../format.js'
import { toClient, toLock } from '../route.js'

/**
 * A text that users have chosen, as text: cut off when it is long, the whole of it in the title, and unable to change the direction or
 * the look of what stands around it.
 */
export const Name = ({ text }: { text: string }) => (
  <bdi class="name" title={visibleName(text)}>
    {piecesOf(text).map((piece) =>
      piece.isEscaped ? <span class="escaped">{piece.text}</span> : piece.text,
    )}
  </bdi>
)

const kindNames: Readonly<Record<string, string>> = {
  'read-write-lock': 'read/write lock',
  'read-lock': 'read lock',
  'write-lock': 'write lock',
}

/** `read-lock` → `read lock` */
export const kindName = (kind: string): string => kindNames[kind] ?? kind

/** What a waiter waits for: `2 permits`, `write lock` */
export const wanted = ({ kind, permits }: { kind: string; permits: number }): string =>
  kind === 'semaphore' ? plural(permits, 'permit') : kindName(kind)

/** How much of a semaphore is taken: `2 of 3 permits`, or `2 permits` while no process has said how many there are. */
export const permitsTaken = ({ taken, all }: Permits): string =>
  all === null ? plural(taken, 'permit') : `${formatCount(taken)} of ${plural(all, 'permit')}`

/** How far a latch is: `1 of 3 parties counted down` */
export function countedDown(parties: Parties | null): string {
  if (!parties) return 'not set'
  const { all, left } = parties
  return left === 0
    ? `open: all of ${plural(all, 'party', 'parties')} counted down`
    : `${formatCount(all - left)} of ${plural(all, 'party', 'parties')} counted down`
}

export const LockLink = ({ name, object }: { name: string; object: ObjectType }) => (
  <>
    <a class="lock-link" href={toLock(name, object)}>
      <Name text={name} />
    </a>
    {object !== 'lock' && <span class="tag">{kindName(object)}</span>}
  </>
)

export const ProcessLink = ({ process }: { process: Process }) => (
  <a class="process" href={toClient(process.clientId)}>
    <ProcessName process={process} />
  </a>
)

export function ProcessName({ process: { clientId, host, pid, label } }: { process: Process }) {
  if (host === '') return <Name text={clientId} />
  return (
    <>
      {label !== '' && (
        <>
          <Name text={label} />{' '}
        </>
      )}
      <span class={label === '' ? '' : 'quiet'}>
        <Name text={host} /> · {pid}
      </span>
    </>
  )
}

/** What is shown in place of a table without rows. */
export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>
