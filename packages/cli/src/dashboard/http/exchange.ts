import type { NodeRequest } from './node-http.js'

/** A request to the dashboard, as `authorize` gets it. */
export interface DashboardRequest {
  /** `GET`, `HEAD` or `POST`. */
  readonly method: string
  /** Path and query as the dashboard's server received them. */
  readonly url: string
  /** By name, in any case; `null` for one that was not sent. */
  readonly headers: { get(name: string): string | null }
  /** What the framework handed over: for the user that it has signed in, for example. */
  readonly raw: Request | NodeRequest
}

/** The same, with what only the dashboard needs. */
export interface Exchange extends DashboardRequest {
  /** What the request calls this server, with its port; `null` if it does not say. */
  readonly host: string | null
  readonly path: string
  readonly query: URLSearchParams
  /** The body as parsed JSON. Rejects with a `RefusedRequest` if it is something else. */
  body(): Promise<unknown>
}

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
}

/** A request that is answered by an error of this status, and this message. */
export class RefusedRequest extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** A body that says no more than a lock's name and an owner never comes near this. */
const longestBody = 64 * 1_024

/** Reads a body of JSON, and no more of it than may be there. */
export async function readBody(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const read: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > longestBody) throw new RefusedRequest(413, `The body is longer than ${longestBody} bytes.`)
    read.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(read).toString('utf8'))
  } catch {
    throw new RefusedRequest(400, 'The body is not JSON.')
  }
}
