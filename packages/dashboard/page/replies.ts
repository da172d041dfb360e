import type { Failure } from '../src/shared/payloads.js'

export const isJson = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('application/json') ?? false

/** Why there is no usable reply: in the dashboard's own words, or what came from something in front of it. */
export async function reasonOf(response: Response): Promise<string> {
  if (isJson(response)) return ((await response.json()) as Failure).error
  const { ok, status, statusText } = response
  if (ok) return 'another page came in its place, perhaps one to sign in'
  return statusText === '' ? `status ${status}` : statusText
}

/** The same with what to do about it, for where no banner says that. */
export const failureOf = async (response: Response): Promise<string> =>
  isJson(response)
    ? reasonOf(response)
    : `${await reasonOf(response)}. Reload the page: you may have to sign in again.`
