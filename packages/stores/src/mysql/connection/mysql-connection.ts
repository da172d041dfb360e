import { connect, Socket } from 'node:net'
import { InvalidArgumentError, within } from '@holdfast/core/engine'
import type { Connection as MysqlConnection, ConnectionOptions, ResultSetHeader, RowDataPacket } from 'mysql2'
import { toError } from '../errors.js'
import loadMysql2 from './mysql2.cjs'

/** A value of a row: bytes of a column that has bytes, `null`, or what `mysql2` makes of numbers and names. */
export type Value = Buffer | number | string | null

/** What a statement resolves with. */
export interface Reply {
  readonly rows: readonly (readonly Value[])[]
  /** How many rows it changed. */
  readonly affected: number
}

/** Bytes, which are sent as hexadecimal digits, and integers: neither depends on `sql_mode` or on a character set. */
export type Parameter = Buffer | number

/** Runs one statement; rejects as MySQL or the network has it. */
export type Query = (sql: string, values?: readonly Parameter[]) => Promise<Reply>

/** A connection of our own, which can be ended without the help of the other side. */
export interface Connection {
  /** Resolves once statements can be sent. Called before anything else but `onEnd`. */
  connect(): Promise<void>
  readonly query: Query
  /** Calls back when it has ended, with the reason. */
  onEnd(report: (cause: Error) => void): void
  /** Ends it: politely if that takes no time, and in any case. Resolves when nothing of it is left. */
  destroy(): Promise<void>
}

/** How long the other side may take to close the connection once it was asked to. */
const endWithinMs = 100

/** Options of `mysql2` that an application may have changed for its own connections. */
const ours = {
  multipleStatements: false,
  namedPlaceholders: false,
  typeCast: true,
  rowsAsArray: true,
  supportBigNumbers: true,
  bigNumberStrings: false,
  stringifyObjects: false,
  // Errors of ours say where they come from.
  trace: false,
} as const

/** Those that have no value by which to say that they are not wanted. */
const notOurs: readonly string[] = ['queryFormat', 'nestTables', 'pool', 'Promise']

const withoutThose = (config: ConnectionOptions): ConnectionOptions =>
  Object.fromEntries(Object.entries(config).filter(([name]) => !notOurs.includes(name)))

function requireMysql2(): Exclude<ReturnType<typeof loadMysql2>, Error> {
  const mysql2 = loadMysql2()
  if (!(mysql2 instanceof Error)) return mysql2
  throw new InvalidArgumentError('locks in MySQL need the mysql2 package: npm install mysql2', {
    cause: mysql2,
  })
}

const connectBy = (config: ConnectionOptions, socket: Socket, connectTimeout: number): MysqlConnection =>
  requireMysql2().createConnection({
    ...withoutThose(config),
    ...ours,
    connectTimeout,
    stream: () => socket,
    // It writes into this object.
    ...(typeof config.ssl === 'object' ? { ssl: { ...config.ssl } } : {}),
  })

/** @throws what `mysql2` thinks of options that it cannot use, and `InvalidArgumentError` if it is not installed */
export const checkByMysql2 = (config: ConnectionOptions): void => connectBy(config, new Socket(), 0).destroy()

/** Begins a connection by `mysql2`. */
export function openMysql(config: ConnectionOptions, connectTimeout: number): Connection {
  const socket = socketOf(config)
  const connection = connectBy(config, socket, connectTimeout)
  let error: Error | undefined
  const ended = new Promise<Error>((resolve) => {
    const end = (): void => resolve(error ?? new Error('the connection ended'))
    // Without a listener it would be thrown, from a socket's event.
    connection.on('error', (thrown) => {
      error ??= toError(thrown)
      end()
    })
    socket.once('error', (thrown) => (error ??= thrown))
    socket.once('close', end)
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const destroy = async (): Promise<void> => {
    connection.end(() => undefined)
    await within(closed, endWithinMs)
    socket.destroy()
    await closed
  }
  let destroying: Promise<void> | undefined
  return {
    connect: () =>
      new Promise((resolve, reject) => {
        connection.connect((failure) => (failure ? reject(toError(failure)) : resolve()))
        void ended.then(reject)
      }),
    query: (sql, values = []) =>
      new Promise((resolve, reject) => {
        connection.query<RowDataPacket[][] | ResultSetHeader>(sql, [...values], (failure, result) => {
          if (failure) reject(toError(failure))
          else resolve(replyOf(result))
        })
      }),
    onEnd: (report) => void ended.then(report),
    destroy: () => (destroying ??= destroy()),
  }
}

const replyOf = (result: RowDataPacket[][] | ResultSetHeader): Reply =>
  Array.isArray(result)
    ? // As `rowsAsArray` has it.
      { rows: result as unknown as Value[][], affected: 0 }
    : { rows: [], affected: result.affectedRows }

/** A socket that can be destroyed whatever becomes of TLS on top of it. */
function socketOf({
  host = 'localhost',
  port = 3306,
  socketPath,
  enableKeepAlive = true,
  ...more
}: ConnectionOptions): Socket {
  const given: unknown = typeof more.stream === 'function' ? (more.stream as () => unknown)() : undefined
  if (isSocket(given)) return given
  const socket = socketPath === undefined ? connect({ host, port }) : connect(socketPath)
  socket.setNoDelay(true)
  if (enableKeepAlive) socket.setKeepAlive(true, more.keepAliveInitialDelay)
  return socket
}

const isSocket = (given: unknown): given is Socket =>
  ['destroy', 'write', 'once'].every((method) => typeof Reflect.get(Object(given), method) === 'function')
