import { createServer } from 'node:net'

/** A TCP port on loopback that was free a moment ago. Another process may take it before you do. */
export function freePort(): Promise<number> {
  return bindOnce(0)
}

/**
 * Like {@link freePort}, and `port + distance` is free too.
 *
 * Redis Cluster nodes talk to each other on their port + 10 000.
 */
export async function freePortPair(distance: number): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = await freePort()
    if (port + distance > 65_535) continue
    try {
      await bindOnce(port + distance)
      return port
    } catch {
      continue
    }
  }
  throw new Error(`found no free port p for which p + ${String(distance)} is free too`)
}

function bindOnce(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })
}
