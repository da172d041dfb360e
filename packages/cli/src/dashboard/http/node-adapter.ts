import { readBody, RefusedRequest, type Exchange, type Reply } from './exchange.js'
import type { NodeRequest, NodeResponse } from './node-http.js'
import { targetOf } from './target.js'

/** What frameworks add to the request. */
interface FrameworkRequest extends NodeRequest {
  /** Express and Connect cut the path under which a handler is mounted off `url`. */
  readonly originalUrl?: string
  /** What a body parser that ran before has left. */
  readonly body?: unknown
}

export function exchangeOfNode(request: FrameworkRequest): Exchange {
  const url = request.originalUrl ?? request.url ?? '/'
  const { pathname, searchParams } = targetOf(url)
  return {
    method: request.method ?? 'GET',
    url,
    // HTTP/2 has a field of its own for it.
    host: headerOf(request, 'host') ?? headerOf(request, ':authority'),
    path: pathname,
    query: searchParams,
    headers: { get: (name) => headerOf(request, name) },
    raw: request,
    body: () => bodyOf(request),
  }
}

function headerOf(request: NodeRequest, name: string): string | null {
  const value = request.headers[name.toLowerCase()]
  return value === undefined ? null : String(value)
}

async function bodyOf(request: FrameworkRequest): Promise<unknown> {
  if (request.body !== undefined) return request.body
  if (request.readableEnded) {
    throw new RefusedRequest(
      500,
      'The body of the request was read before the dashboard got it: hand the parsed body over as request.body.',
    )
  }
  try {
    // The reply travels on the same connection, so it stays open if the body is refused, and what is left of the body is let pass.
    return await readBody({
      [Symbol.asyncIterator]: () => request.iterator({ destroyOnReturn: false }),
    })
  } finally {
    request.resume()
  }
}

export function replyToNode(response: NodeResponse, reply: Reply, hasBody: boolean): void {
  // The reader may have left while the reply was made.
  if (response.destroyed) return
  response.writeHead(reply.status, { ...reply.headers })
  response.end(hasBody ? reply.body : undefined)
}
