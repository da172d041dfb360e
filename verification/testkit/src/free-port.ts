import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/**
 * Below those that Linux and macOS give to outgoing connections: one of these may take the port of a server that is down,
 * even the connection by which a client tries to reach that server.
 */
const lowest = 10_000
const highest = 32_767

/** A TCP port on loopback that was free a moment ago. Another server may take it before you do. */
export function freePort(): Promise<number> {
  return freePortWith([0])
}

/**
 * Like {@link freePort}, and `port + distance` is free too.
 *
 * Redis Cluster nodes talk to each other on their port + 10 000.
 */
export function freePortPair(distance: number): Promise<number> {
  return freePortWith([0, distance])
}

async function freePortWith(distances: readonly number[]): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowest, highest + 1 - Math.max(...distances))
    try {
      await Promise.all(distances.map((distance) => bindOnce(port + distance)))
      return port
    } catch {
      continue
    }
  }
  throw new Error(`found no free port between ${String(lowest)} and ${String(highest)}`)
}

function bindOnce(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
