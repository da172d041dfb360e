import type { TargetedSubmitEvent } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { EvictionReply, EvictionRequest, Holder } from '../src/dashboard/shared/payloads.js'
import { visibleName } from '../src/dashboard/shared/visible-name.js'
import { Name, OwnerName } from './name.js'
import { isJson, reasonOf } from './poll.js'
import { authorization } from './token.js'

interface EvictDialogProps {
  readonly name: string
  readonly victim: Holder
  readonly close: () => void
}

type Progress =
  | { readonly is: 'asking' | 'running' }
  | { readonly is: 'done'; readonly outcome: EvictionReply['outcome'] }
  | { readonly is: 'failed'; readonly message: string }

/** Evicts one owner, once the name of the lock has been typed. */
export function EvictDialog({ name, victim, close }: EvictDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const leave = useRef<HTMLButtonElement>(null)
  const [typedName, setTypedName] = useState('')
  const [progress, setProgress] = useState<Progress>({ is: 'asking' })
  useEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => {
    // The form had the focus, and is gone. Before the next key is pressed.
    if (progress.is === 'done') leave.current?.focus()
  }, [progress.is])
  const stay = (event: Event): void => {
    // Or the outcome would never be seen.
    if (progress.is === 'running') event.preventDefault()
  }

  const isTyped = typedName === name || typedName === visibleName(name)
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    if (!isTyped) return
    setProgress({ is: 'running' })
    setProgress(await evict({ name, kind: victim.kind, owner: victim.owner, typedName }))
  }

  return (
    <dialog ref={dialog} aria-labelledby="evict-title" onClose={close} onCancel={stay}>
      <h2 id="evict-title">Evict this holder?</h2>
      <p>
        <OwnerName {...victim} /> loses <Name text={name} />, and the next waiter gets it.
      </p>
      <p>
        The holder's signal is aborted, but its code may still be running and writing. Only a fencing token
        keeps such writes out.
      </p>
      {progress.is !== 'done' && (
        <form id="evict" onSubmit={(event) => void submit(event)}>
          <label for="typed-name">
            Type <Name text={name} /> to confirm
          </label>
          <input
            id="typed-name"
            value={typedName}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={(event) => setTypedName(event.currentTarget.value)}
          />
        </form>
      )}
      {/* There from the start: a screen reader announces what appears in it. */}
      <p role="status" class="outcome">
        {outcomeOf(progress)}
      </p>
      {progress.is !== 'done' && (
        <button type="submit" form="evict" class="danger" disabled={!isTyped || progress.is === 'running'}>
          Evict
        </button>
      )}
      <button ref={leave} type="button" onClick={() => dialog.current?.close()}>
        {progress.is === 'done' ? 'Close' : 'Cancel'}
      </button>
    </dialog>
  )
}

function outcomeOf(progress: Progress): string {
  if (progress.is === 'failed') return progress.message
  if (progress.is !== 'done') return ''
  return progress.outcome === 'evicted' ? 'Evicted.' : 'Nothing was changed: this owner no longer holds it.'
}

async function evict(request: EvictionRequest): Promise<Progress> {
  try {
    const response = await fetch('evict', {
      method: 'POST',
      headers: { ...authorization(), 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    if (response.ok && isJson(response)) {
      const { outcome } = (await response.json()) as EvictionReply
      return { is: 'done', outcome }
    }
    // What is in front of the dashboard may give up waiting for a reply that is still to come.
    if (isJson(response) || response.status < 500)
      return { is: 'failed', message: `Refused: ${await reasonOf(response)}` }
  } catch {
    // As without a usable reply.
  }
  return {
    is: 'failed',
    message: 'The dashboard did not answer. The holder may or may not have been evicted: look at the lock.',
  }
}
