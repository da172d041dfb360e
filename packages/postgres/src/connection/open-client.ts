import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'

/** A connection of our own, which can be ended without the help of the other side. */
export interface OpenClient {
  readonly client: Client
  /** Ends it: politely if that takes no time, and in any case. Resolves when the socket is gone. */
  destroy(): Promise<void>
}

/** How long the other side may take to close the connection once it was asked to. */
const endWithinMs = 100

/**
 * Begins a connection.
 *
 * @param config - what `pg` takes for a client; options of a pool in it mean nothing
 */
export function openClient(config: object, more: ClientConfig & { readonly pipeline?: boolean }): OpenClient {
  let socket: Duplex | undefined
  const stream = (): Duplex => (socket = streamOf(config))
  // An application may have changed how `pg` reads values, for all connections of the process.
  const types = {
    getTypeParser:
      () =>
      (value: string): string =>
        value,
  }
  const client = new Client({ keepAlive: true, ...config, ...passwordOf(config), ...more, types, stream })
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  // Those who wait learn what an error means for them.
  client.on('error', () => undefined)
  const destroy = async (): Promise<void> => {
    client.end().catch(() => undefined)
    const timer = setTimeout(() => socket?.destroy(), endWithinMs)
    await ended
    clearTimeout(timer)
    socket?.destroy()
  }
  let destroying: Promise<void> | undefined
  return { client, destroy: () => (destroying ??= destroy()) }
}

/** A pool's options have the password where spreading them does not find it. */
const passwordOf = (config: object): object => ('password' in config ? { password: config.password } : {})

/** Connectors of clouds bring their own sockets. */
function streamOf(config: object): Duplex {
  const { stream } = config as ClientConfig
  return stream?.() ?? new Socket()
}
