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

export function responseOf(reply: Reply, hasBody: boolean, signal: AbortSignal): Response {
  const { status, headers } = reply
  if (!hasBody) return new Response(null, { status, headers })
  if (!reply.stream) return new Response(reply.body, { status, headers })
  return new Response(streamOf(reply.stream, signal), { status, headers })
}

/** A reader this many bytes behind is cut off. It connects again, and is up to date. */
const mostBehind = 1_024 * 1_024

function streamOf(open: NonNullable<Reply['stream']>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let isOpen = true
  let leave = (): void => undefined
  const cancel = (): void => {
    isOpen = false
    leave()
  }
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const end = (): void => {
          if (!isOpen) return
          cancel()
          controller.close()
        }
        leave = open((text) => {
          if (!isOpen) return
          controller.enqueue(encoder.encode(text))
          if ((controller.desiredSize ?? 0) >= -mostBehind) return
          cancel()
          // To close it would keep what the reader has not taken.
          controller.error(new Error(`The reader is ${mostBehind} bytes behind.`))
        }, end)
        // Some servers only abort the request when the reader leaves, and never cancel the stream.
        if (signal.aborted) end()
        else signal.addEventListener('abort', end, { once: true })
      },
      cancel,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  )
}
