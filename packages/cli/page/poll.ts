import { useEffect, useState } from 'preact/hooks'
import type { Failure } from '../src/dashboard/shared/payloads.js'
import { authorization } from './token.js'

const everyMs = 2_000

/** What was read last, and what is wrong since, if anything. */
export interface Polled<T> {
  readonly value: T | null
  readonly error: string | null
}

export const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') ?? false

/** Why there is no usable reply: in the dashboard's own words, or what came from something in front of it. */
export async function reasonOf(response: Response): Promise<string> {
  if (isJson(response)) return ((await response.json()) as Failure).error
  const { ok, status, statusText } = response
  const what = ok ? 'another page came in its place' : statusText || `status ${status}`
  return `${what}. Reload the page: you may have to sign in again.`
}

async function read<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: authorization(), signal })
  if (response.ok && isJson(response)) return (await response.json()) as T
  throw new Error(await reasonOf(response))
}

/** Reads again and again while the page is seen. `null`: reads nothing. */
export function usePolled<T>(path: string | null): Polled<T> {
  const [polled, setPolled] = useState<Polled<T> & { path: string | null }>({
    path,
    value: null,
    error: null,
  })
  useEffect(() => {
    if (path === null) return
    const left = new AbortController()
    const poll = async (): Promise<void> => {
      if (document.visibilityState === 'visible') {
        try {
          const value = await read<T>(path, left.signal)
          setPolled({ path, value, error: null })
        } catch (cause) {
          if (left.signal.aborted) return
          const error = cause instanceof TypeError ? 'The dashboard does not answer.' : String(cause).slice(7)
          setPolled((before) => ({ path, value: before.path === path ? before.value : null, error }))
        }
      }
      if (!left.signal.aborted) timer = setTimeout(() => void poll(), everyMs)
    }
    let timer = setTimeout(() => void poll(), 0)
    const onVisible = (): void => {
      if (document.visibilityState !== 'visible') return
      clearTimeout(timer)
      void poll()
    }
    document.addEventListener('visibilitychange', onVisible)
    return () => {
      left.abort()
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [path])
  return polled.path === path ? polled : { value: null, error: null }
}
