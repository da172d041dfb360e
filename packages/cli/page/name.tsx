import type { Process } from '../src/dashboard/shared/payloads.js'
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

export function ProcessName({ process: { clientId, host, pid, label } }: { process: Process }) {
  if (host === '') return <Name text={clientId} />
  return (
    <span class="process">
      {label !== '' && <Name text={label} />}
      <span class={label === '' ? '' : 'quiet'}>
        <Name text={host} /> · {pid}
      </span>
    </span>
  )
}
