import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Client, type ClientConfig } from 'pg'
import type { Connection, Query } from './connection.js'
import { FirstContact } from './first-contact.js'
import { toError } from '../errors.js'
import type { Row } from './statement.js'

/** How long the other side may take to close the connection once it was asked to. */
const endWithinMs = 100

/**
 * Begins a connection by `pg`.
 *
 * @param config - what `pg` takes for a client; options of a pool in it mean nothing
 */
export function openPg(config: object, more: ClientConfig & { readonly pipeline: boolean }): Connection {
  let socket: Duplex | undefined
  const contact = new FirstContact()
  const stream = (): Duplex => {
    socket = streamOf(config)
    contact.began(socket)
    return socket
  }
  // An application may have changed how `pg` reads values, for all connections of the process.
  const types = {
    getTypeParser:
      () =>
      (value: string): string =>
        value,
  }
  const client = new Client({
    keepAlive: true,
    // Used only where the application names none.
    fallback_application_name: 'holdfast',
    ...config,
    ...passwordOf(config),
    ...more,
    types,
    stream,
  })
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  let error: Error | undefined
  // Those who wait learn what an error means for them.
  client.on('error', (given) => (error = given))
  const query: Query = async (text, values = []) => {
    const { rows } = await client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' })
    return rows
  }
  const destroy = async (): Promise<void> => {
    client.end().catch(() => undefined)
    const timer = setTimeout(() => socket?.destroy(), endWithinMs)
    await ended
    clearTimeout(timer)
    socket?.destroy()
  }
  let destroying: Promise<void> | undefined
  return {
    async connect() {
      // `pg` never settles the promise of a client that is ended while it connects.
      const failed = ended.then(() => Promise.reject(contact.explained(error)))
      await Promise.race([client.connect(), failed]).catch((thrown: unknown) => {
        throw contact.explained(toError(thrown))
      })
      contact.letIn()
    },
    get doubt() {
      return contact.doubt
    },
    query,
    isPooled: () => isPooled(client, query),
    async runScript(sql) {
      await client.query(sql)
    },
    async listen(channel, onMessage) {
      client.on('notification', ({ payload = '' }) => onMessage(payload))
      await client.query(`listen "${channel}"`)
    },
    takeKey: (channel) => takeKey(query, channel),
    onEnd(report) {
      client.once('end', () => report(contact.explained(error)))
    },
    destroy: () => (destroying ??= destroy()),
  }
}

/** A pooler's connections run in another process of the server than it names at the start. */
async function isPooled(client: object, query: Query): Promise<boolean> {
  const [[pid] = []] = await query('select pg_backend_pid()')
  return 'processID' in client && String(client.processID) !== pid
}

/**
 * Takes a random number as an advisory lock, which the session holds until it ends. And one made of the channel, see
 * `listening_1`: shared, since the session of a broken connection may still hold it.
 */
async function takeKey(query: Query, channel: string): Promise<string> {
  await query('select pg_try_advisory_lock_shared(hashtextextended($1, 0))', [channel])
  for (;;) {
    const key = randomBytes(8).readBigInt64BE().toString()
    const [row]: readonly Row[] = await query(`select pg_try_advisory_lock(${key})`)
    if (row?.[0] === 't') return key
  }
}

/** A pool's options have the password where spreading them does not find it. */
const passwordOf = (config: object): object => ('password' in config ? { password: config.password } : {})

/** Connectors of clouds bring their own sockets. */
function streamOf(config: object): Duplex {
  const { stream } = config as ClientConfig
  return stream?.() ?? new Socket()
}
