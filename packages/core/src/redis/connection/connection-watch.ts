import { types } from 'node:util'
import { toError } from '@holdfast/pubsub'
import { monotonicMs } from '../../time/time.js'
import { connectionLost } from '../../util/symbols.js'
import { isAboutDatabase, isRefusal, LookupError, withoutSecrets } from '../errors.js'
import type { Connections } from './connections.js'
import { limitHandshake } from './template.js'
import type { ClusterConnection, CommandConnection } from './types.js'

export interface ConnectionEvents {
  /** It broke: replies to what was in flight are lost. */
  onBreak(): void
  /** It is usable again after a break. */
  onReconnect(): void
  onError(error: Error): void
}

/** What only the sender of commands needs to know. */
export interface WatchEvents extends ConnectionEvents {
  /** There has been no connection yet, and repeating what waits for one makes no sense. */
  onRefused(): void
}

/** Counts how often the connections for commands broke, and knows why there is none. */
export class ConnectionWatch {
  readonly #commands: CommandConnection
  readonly #lookup: ServerLookup
  readonly #contact: FirstContact
  #epoch = 0
  /** Why there is no connection; ioredis rejects the commands that wait for one saying only that it gave up. */
  #error: Error | undefined
  /**
   * Why the server refused the database, until the connection is closed for that. Commands that ioredis had sent by then ran
   * in another database, which does not have this one's locks.
   */
  #wrongDatabase: Error | undefined
  #wasReady = false

  constructor(connections: Connections, events: WatchEvents) {
    const { commands, cluster, connectTimeoutMs } = connections
    if (!cluster) {
      limitHandshake(commands, connectTimeoutMs, (error) => {
        this.#error = error
        events.onError(error)
      })
    }
    this.#commands = commands
    this.#lookup = new ServerLookup(connections)
    this.#contact = new FirstContact(commands)
    commands.on('error', (given) => {
      const error = toError(given)
      // ioredis rejects its own pending commands with this; the cause was already reported.
      if (gaveUp(error) && this.#error) return
      this.#error = this.#lookup.explained(this.explained(error))
      if (isAboutDatabase(error)) {
        this.#wrongDatabase = error
        commands.disconnect(true)
      }
      events.onError(this.#error)
      if (!this.#wasReady && this.refusal) events.onRefused()
    })
    commands.on('ready', () => {
      // Without a ready check ioredis does not wait for the reply about the database: https://github.com/redis/ioredis/issues/1213
      if (!isAboutDatabase(this.#error)) this.#error = undefined
      if (this.#wasReady) events.onReconnect()
      this.#wasReady = true
    })
    const onBreak = (): void => {
      this.#wrongDatabase = undefined
      this.#epoch++
      events.onBreak()
    }
    if (cluster) {
      cluster.on('-node', onBreak)
      cluster.on('+node', () => {
        if (this.#epoch > 0) events.onReconnect()
      })
    } else {
      commands.on('close', onBreak)
    }
  }

  get epoch(): number {
    return this.#epoch
  }

  /**
   * Why commands need not be tried while ioredis pauses between attempts: a wrong password stays wrong, and addresses of which
   * none was ever reached may be wrong.
   */
  get refusal(): Error | undefined {
    const error = this.#error
    const { status } = this.#commands
    // While ioredis looks for the server, commands wait in it without limit, and may run long after the caller has moved on:
    // https://github.com/redis/ioredis/issues/285
    if (error instanceof LookupError && status !== 'ready') {
      return error.isRefusal || (error.isUnreached && !this.#wasReady) ? error : undefined
    }
    return isRefusal(error) && status === 'reconnecting' ? error : undefined
  }

  /** The latest error that may explain why there is no reply to what was sent at that instant. */
  errorSince(at: number): Error | undefined {
    return this.#error ?? this.#lookup.failureSince(at)
  }

  /** Why there is no reply yet, if the connection shows it. */
  get doubt(): string | undefined {
    return this.#contact.doubt
  }

  /** A reply came. Throws when it may be that of another database. */
  onReply(): void {
    if (this.#wrongDatabase) throw this.#wrongDatabase
    this.#error = undefined
  }

  /** The error that says why a command got no reply. */
  explained(error: Error): Error {
    if (!gaveUp(error)) return this.#contact.explained(error)
    if (this.#error) return this.#error
    return this.#contact.explained(new Error('the connection broke before a reply arrived', { cause: error }))
  }
}

/**
 * Whether a command was dropped because its connection broke. ioredis does not say why, and mostly names an option of its own
 * (5.11.1 and 6.0.0). By the text, since minifiers rename classes.
 */
const gaveUp = (error: Error): boolean =>
  connectionLost in error ||
  error.message === 'Connection is closed.' ||
  error.message.startsWith('Reached the max retries per request limit')

const advice = [
  [/cluster support disabled/, 'for a stand-alone server use Redis instead of Cluster'],
  [/unknown command .sentinel/i, 'the addresses of `sentinels` must be those of Sentinel processes'],
] as const

const notReady = (): Error =>
  new Error(
    'the cluster is not ready: slots are not covered, its state is not ok, or CLUSTER INFO is not permitted',
  )

/**
 * Finding the server by way of cluster nodes or Sentinels. ioredis reports what each of them replied in separate events, and
 * when it has tried all of them, an error that names at most the last reply: https://github.com/redis/ioredis/pull/1941 of cluster nodes,
 * https://github.com/redis/ioredis/issues/1390 of Sentinels.
 */
export class ServerLookup {
  /** Why those that were tried in this round led nowhere, by address. */
  readonly #failures = new Map<string, Error>()
  #latest: { readonly error: Error; readonly at: number } | undefined

  constructor({ commands, cluster }: Connections) {
    commands.on('node error', (given, address) => this.#note(toError(withoutSecrets(given)), String(address)))
    if (cluster) this.#watchNodes(cluster)
    else commands.on('sentinelError', (given) => this.#onSentinelError(toError(given).message))
  }

  /** The error of a whole round with the reasons of all that were tried; any other error as it is. */
  explained(error: Error): Error {
    if (!endsRound(error) || this.#failures.size === 0) return error
    const failures = [...this.#failures.values()]
    const texts = [...this.#failures].map(([address, failure]) => described(failure, address))
    this.#failures.clear()
    const hint = advice.find(([reply]) => texts.some((text) => reply.test(text)))?.[1]
    const text = [...texts, ...(hint === undefined ? [] : [hint])].join('; ')
    return new LookupError(text, failures.every(isRefusal), failures.every(isUnreached), failures.at(-1))
  }

  /** The latest failure of a node or Sentinel, if it came after that instant. */
  failureSince(at: number): Error | undefined {
    return this.#latest && this.#latest.at >= at ? this.#latest.error : undefined
  }

  #watchNodes(cluster: ClusterConnection): void {
    let isFound = false
    cluster.on('connecting', () => {
      isFound = false
      this.#failures.clear()
    })
    cluster.on('connect', () => (isFound = true))
    cluster.on('ready', () => (isFound = false))
    // That a cluster was found but is not ready is reported nowhere else.
    cluster.on('close', () => {
      if (isFound) cluster.emit('error', notReady())
    })
  }

  #onSentinelError(message: string): void {
    const [, failed, why = ''] = /^failed to connect to sentinel (\S+) because (.*)$/s.exec(message) ?? []
    const [, unaware] = /^connected to sentinel (\S+) successfully/.exec(message) ?? []
    if (failed !== undefined) this.#note(sentinelFailure(why), failed)
    else if (unaware !== undefined) this.#note(new Error('no such master is known'), unaware)
    else this.#note(new Error(message), '')
  }

  #note(failure: Error, address: string): void {
    this.#failures.set(address, failure)
    this.#latest = {
      error: new Error(described(failure, address), { cause: failure }),
      at: monotonicMs(),
    }
  }
}

const endsRound = (error: Error): boolean =>
  'lastNodeError' in error || error.message.startsWith('All sentinels are unreachable')

/** Of a Sentinel's reply only the text is left. One that does not know the master may soon. */
function sentinelFailure(text: string): Error {
  const error = new Error(text)
  if (/^(ERR unknown command|NOAUTH|WRONGPASS|NOPERM)\b/.test(text)) error.name = 'ReplyError'
  return error
}

/** All that ioredis says (up to 6.0.0) of an address that it could not connect to is that there is no connection. */
const isUnreached = (error: Error): boolean =>
  connectionLost in error || error.message === 'Connection is closed.'

function described(failure: Error, address: string): string {
  const text = isUnreached(failure) ? `could not connect${whyUnreached(failure)}` : failure.message.trim()
  return address === '' ? text : `${text} (${address})`
}

/** What the system says of an address only repeats it. */
const whyUnreached = ({ cause }: Error): string =>
  types.isNativeError(cause) && !('syscall' in cause) ? `: ${cause.message}` : ''

/** What a connection shows of a server that may not be what it is taken for, until it has once turned out to be Redis. */
export class FirstContact {
  readonly #commands: Pick<CommandConnection, 'stream' | 'awaits' | 'once'>
  #isRedis = false

  constructor(commands: Pick<CommandConnection, 'stream' | 'awaits' | 'once'>) {
    this.#commands = commands
    commands.once('ready', () => {
      this.#isRedis = true
    })
  }

  /** Why no reply has come yet, if the connection shows it. */
  get doubt(): string | undefined {
    if (this.#isRedis) return undefined
    const { stream, awaits } = this.#commands
    return awaits === 'tls' || stream?.secureConnecting === true ? noTls : undefined
  }

  /** The error that broke the connection, with what it probably means. */
  explained(error: Error): Error {
    if (this.#isRedis) return error
    const { stream, awaits } = this.#commands
    const seen = stream ? this.#meaningOf(error.message, stream) : undefined
    const meaning = awaits === undefined ? seen : meanings[awaits]
    // A command that timed out says it already.
    if (meaning === undefined || error.message.includes(meaning)) return error
    return new Error(`${meaning} (${error.message})`, { cause: error })
  }

  #meaningOf(
    message: string,
    { secureConnecting = false, bytesRead }: NonNullable<CommandConnection['stream']>,
  ): string | undefined {
    if (secureConnecting) return withoutTls.test(message) ? noTls : undefined
    return bytesRead === 0 && withoutReply.test(message) ? noRedis : undefined
  }
}

/** What ends a handshake with a server that does not know what it is. */
const withoutTls = /ECONNRESET|ETIMEDOUT|before secure TLS|wrong version number|packet length too long/

/** Not `connect ECONNRESET`: that connection was never accepted. */
const withoutReply = /\b(read ECONNRESET|write (EPIPE|ECONNRESET)|the connection broke)\b/

const noTls =
  'no TLS connection has been established; if this server does not speak TLS, begin the URL with redis:// or leave out tls'

const noRedis =
  'what listens there closed the connection without a reply, as a Redis does that has reached its maxclients: raise that, or close ' +
  'connections; otherwise check that host and port are those of Redis, and if this server speaks TLS, begin the URL with rediss:// or pass tls'

const meanings = { tls: noTls, reply: noRedis }
