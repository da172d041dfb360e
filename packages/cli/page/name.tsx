import type { Owner } from '../src/dashboard/shared/payloads.js'
import { piecesOf, visibleName } from '../src/dashboard/shared/visible-name.js'

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

/** Whose it is, or was. */
export function OwnerName({ unattended, process: { clientId, host, pid, label } }: Owner) {
  const how = unattended && (
    <span class="quiet">{unattended === 'kept' ? 'kept after' : 'handed over by'} </span>
  )
  if (host === '')
    return (
      <>
        {how}
        <Name text={clientId} />
      </>
    )
  return (
    <span class="process">
      {how}
      {label !== '' && <Name text={label} />}
      <span class={label === '' ? '' : 'quiet'}>
        <Name text={host} /> · {pid}
      </span>
    </span>
  )
}
