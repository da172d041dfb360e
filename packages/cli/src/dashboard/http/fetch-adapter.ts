import { readBody, type Exchange, type Reply } from './exchange.js'

export function exchangeOfFetch(request: Request): Exchange {
  const { host, pathname, search, searchParams } = new URL(request.url)
  return {
    method: request.method,
    url: pathname + search,
    host: request.headers.get('host') ?? host,
    path: pathname,
    query: searchParams,
    headers: request.headers,
    raw: request,
    body: () => readBody(request.body ?? new ReadableStream({ start: (none) => none.close() })),
  }
}

export const responseOf = ({ status, headers, body }: Reply, hasBody: boolean): Response =>
  new Response(hasBody ? body : null, { status, headers })
