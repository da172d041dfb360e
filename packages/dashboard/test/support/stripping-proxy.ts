import { createServer, request as forward, type Server } from 'node:http'

/** A reverse proxy that serves an origin below a path, which it strips, as many are set up. */
export const strippingProxy = (base: string, origin: string): Server =>
  createServer((incoming, outgoing) => {
    const path = incoming.url ?? '/'
    if (!path.startsWith(base)) {
      outgoing.writeHead(404).end()
      return
    }
    const upstream = forward(
      origin + path.slice(base.length),
      { method: incoming.method, headers: incoming.headers },
      (reply) => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  })
