import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { InvalidArgumentError, kindOf, within } from '@holdfast/core/engine'
import type { ClientConfig, PoolConfig } from 'pg'
import type { Connection, Query } from './connection.js'
import { FirstContact } from './first-contact.js'
import loadPg from './pg.cjs'
import { toError } from '../errors.js'
import type { Row } from './statement.js'

/** How long the other side may take to close the connection once it was asked to. */
const endWithinMs = 100

/** Options of `pg` that an application may have changed for its own connections. */
export const ours = {
  // Also for all connections of the process.
  types: {
    getTypeParser:
      () =>
      (value: string): string =>
        value,
  },
  Promise: undefined,
} satisfies PoolConfig

/** @throws `InvalidArgumentError` if it is not installed */
export function requirePg(): Exclude<ReturnType<typeof loadPg>, Error> {
  const pg = loadPg()
  if (!(pg instanceof Error)) return pg
  throw new InvalidArgumentError('locks in PostgreSQL need the pg package: npm install pg', { cause: pg })
}

/**
 * Begins a connection by `pg`.
 *
 * @param config - what `pg` takes for a client; options of a pool in it mean nothing
 */
export function openPg(config: object, more: ClientConfig & { readonly pipeline: boolean }): Connection {
  try {
    return connectionOf(config, more)
  } catch (thrown) {
    // The application's own function for sockets.
    return failed(toError(thrown))
  }
}

function failed(error: Error): Connection {
  const reject = (): Promise<never> => Promise.reject(error)
  return {
    connect: reject,
    query: reject,
    isPooled: reject,
    runScript: reject,
    listen: reject,
    takeKey: reject,
    onEnd: () => undefined,
    destroy: () => Promise.resolve(),
  }
}

function connectionOf(config: object, more: ClientConfig): Connection {
  let socket: Duplex | undefined
  const contact = new FirstContact()
  const stream = (): Duplex => {
    socket = streamOf(config)
    contact.began(socket)
    return socket
  }
  const { Client } = requirePg()
  const client = new Client({
    keepAlive: true,
    // Used only where the application names none.
    fallback_application_name: 'holdfast',
    ...config,
    ...passwordOf(config),
    ...more,
    ...ours,
    stream,
  })
  // `pg` has it also from its defaults, where `false` in the options does not reach.
  Reflect.set(client, 'binary', false)
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  let error: Error | undefined
  // Those who wait learn what an error means for them.
  client.on('error', (given) => (error = given))
  const query: Query = async (text, values = []) => {
    const { rows } = await client.query<(string | null)[]>({ text, values: [...values], rowMode: 'array' })
    return rows
  }
  const destroy = async (): Promise<void> => {
    const asked = Promise.resolve().then(() => client.end())
    asked.catch(() => undefined)
    await within(ended, endWithinMs)
    socket?.destroy()
    // `pg` never says that a connection has ended which it failed to begin.
    await within(ended, endWithinMs)
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
 * `listening`: shared, since the session of a broken connection may still hold it.
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

/** Connectors of clouds bring their own sockets. Whatever else they bring, `pg` would call from a timer. */
function streamOf(config: object): Duplex {
  const { stream } = config as ClientConfig
  const socket: unknown = stream?.() ?? new Socket()
  if (isSocket(socket)) return socket
  throw new Error(`the function stream must return a Socket or a stream like it, got ${kindOf(socket)}`)
}

const isSocket = (given: unknown): given is Duplex =>
  ['connect', 'destroy', 'setNoDelay'].every(
    (method) => typeof Reflect.get(Object(given), method) === 'function',
  )
