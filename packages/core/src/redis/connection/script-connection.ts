import loadIoredis from './ioredis.cjs'
import { toError } from '@holdfast/pubsub'
import { ClosedError, UnavailableError, type HoldfastError } from '../../errors/errors.js'
import { longestMs, monotonicMs } from '../../time/time.js'
import { slotOf } from '../../util/lists.js'
import { pause, timedOut, TimeLimited, Timeouts, within, withTimeout } from '../../util/timeouts.js'
import { engineName, hasCode, toRedisError, isOutOfStep, numberAt } from '../errors.js'
import type { Script } from '../scripts/script.js'
import { ConnectionWatch, type ConnectionEvents } from './connection-watch.js'
import { disconnectTimeoutMs, masterAt, type Connections } from './connections.js'
import type { CommandConnection } from './types.js'

export interface ScriptCall {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  /** Sends the script itself, to a server that does not have it. */
  readonly inFull?: boolean
}

class InFlight extends TimeLimited {
  constructor(
    readonly key: string,
    readonly route: Route,
    readonly timeoutMs: number,
    readonly reject: (error: Error) => void,
    /** The master it was sent to, if that does not follow from the key. */
    readonly master: string | undefined,
    private readonly onLate: (command: InFlight) => void,
  ) {
    super()
  }

  onTimeout(): void {
    this.onLate(this)
  }
}

/** What a script replied, and how many replicas have everything that its connection had written by then. */
export interface ReplicatedReply {
  readonly reply: unknown
  readonly acknowledged: number
}

export interface ScriptConnectionOptions extends ConnectionEvents {
  readonly timeoutMs: number
  /** The patterns that a user needs which may not use this key. */
  patternsFor(key: string): string
}

/** What runs scripts: the connection, or what comes before it. */
export interface ScriptRunner {
  run<T>(call: ScriptCall, read: (reply: unknown, call: ScriptCall) => T, timeoutMs?: number): Promise<T>
}

/** Sends scripts on one connection (or one cluster client) of our own, each with a bound on the time it may take. */
export class ScriptConnection {
  readonly #connections: Connections
  readonly #options: ScriptConnectionOptions
  readonly #routes = new Routes()
  readonly #inFlight = new Timeouts()
  readonly #coalescer = new WriteCoalescer((key) => this.#nodeOf(key))
  readonly #evalsha: SendScript
  readonly #watch: ConnectionWatch
  #closed = false

  constructor(connections: Connections, options: ScriptConnectionOptions) {
    this.#connections = connections
    this.#options = options
    this.#evalsha = scriptSender(connections.commands)
    this.#watch = new ConnectionWatch(connections, {
      onBreak: () => {
        this.#routes.onBreak()
        options.onBreak()
      },
      onReconnect: () => options.onReconnect(),
      onError: (error) => options.onError(error),
      onRefused: () => this.#inFlight.timeOutAll(),
    })
  }

  /**
   * Grows with every connection that broke. A command during which it changed may have been sent twice (ioredis's cluster
   * client repeats by itself, as of 6.0.0), or may have been carried out although it failed.
   */
  get epoch(): number {
    return this.#watch.epoch
  }

  /** The server, as far as is known, that owns a key; all keys of one route share a connection. */
  routeOf(key: string): string {
    const { cluster } = this.#connections
    return cluster ? (cluster.slots[slotOf(key)]?.[0] ?? '') : ''
  }

  /** Keys of one group may go into one script call. */
  groupOf(key: string): string {
    return this.#connections.cluster ? String(slotOf(key)) : ''
  }

  /**
   * Runs a script and returns what `read` makes of its reply. Rejects with `UnavailableError` when none came within
   * `timeoutMs`, though the script may still run, and with `RefusedError` when repeating it makes no sense.
   */
  run<T>(
    call: ScriptCall,
    read: (reply: unknown, call: ScriptCall) => T,
    timeoutMs: number = this.#options.timeoutMs,
  ): Promise<T> {
    const { script, keys, args } = call
    const { commands } = this.#connections
    const key = keys[0] ?? ''
    const send = (inFull: boolean): Promise<unknown> => {
      this.#coalescer.beforeWrite(key, this.#inFlight.size)
      return inFull
        ? commands.eval(script.lua, keys.length, ...keys, ...args)
        : this.#evalsha(script.sha1, keys, args)
    }
    return this.#limited(key, timeoutMs, send, (reply) => read(reply, call))
  }

  /** The masters, as far as they are known: what {@link routeOf} returns for some key. */
  masters(): ReadonlySet<string> {
    const { cluster } = this.#connections
    const masters = new Set<string>()
    if (!cluster) masters.add('')
    for (const nodes of cluster?.slots ?? []) if (nodes?.[0] !== undefined) masters.add(nodes[0])
    return masters
  }

  /** Sends a command without keys to one master. Rejects as `run` does, also when that is not connected. */
  callAt<T>(
    master: string,
    [command, ...args]: readonly [command: string, ...args: (string | number)[]],
    read: (reply: unknown) => T,
  ): Promise<T> {
    const send = async (): Promise<unknown> => {
      const node = this.#masterAt(master)
      if (!node) throw unknownNode()
      return node.call(command, ...args)
    }
    return this.#limited('', this.#options.timeoutMs, send, read, master)
  }

  /** Why there is no reply yet, if the connection shows it. */
  get doubt(): UnavailableError | undefined {
    const { doubt } = this.#watch
    if (doubt === undefined) return undefined
    return new UnavailableError(`${this.#connections.server} is unavailable: ${doubt}`, {
      engine: engineName,
    })
  }

  /** Whether it is known which connection leads to the server that owns a key. */
  isRouted(key: string): boolean {
    return this.#nodeOf(key) !== undefined
  }

  /**
   * Runs scripts of one route, and then `WAIT`. All of it is sent at once on one connection: `WAIT` covers what its own
   * connection wrote, so on a connection that replaced it in between it would cover nothing.
   *
   * Neither redirects nor forgotten scripts are followed up. Rejects as `run` does.
   */
  runAndWait(
    calls: readonly ScriptCall[],
    replicas: number,
    waitMs: number,
  ): Promise<PromiseSettledResult<ReplicatedReply>[]> {
    const key = calls[0]?.keys[0] ?? ''
    const timeoutMs = Math.min(waitMs + this.#options.timeoutMs, longestMs)
    const send = async (): Promise<PromiseSettledResult<ReplicatedReply>[]> => {
      const node = this.#nodeOf(key)
      if (!node) throw unknownNode()
      const replies = calls.map(({ script, keys, args, inFull }) =>
        inFull
          ? node.eval(script.lua, keys.length, ...keys, ...args)
          : node.evalsha(script.sha1, keys.length, ...keys, ...args),
      )
      const waited = node.wait(replicas, waitMs)
      return Promise.allSettled(
        replies.map(async (replying) => {
          try {
            const [reply, acknowledged] = await Promise.all([replying, waited])
            return { reply, acknowledged: numberAt([acknowledged], 0) }
          } catch (error) {
            throw this.#explained(error, key)
          }
        }),
      )
    }
    return this.#limited(key, timeoutMs, send, asItIs)
  }

  readHash(key: string): Promise<Record<string, string>> {
    const send = (): Promise<Record<string, string>> => this.#connections.commands.hgetall(key)
    return this.#limited(key, this.#options.timeoutMs, send, asItIs)
  }

  /** Closes the connection; resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const { commands } = this.#connections
    const hadSocket = !['reconnecting', 'close', 'end'].includes(commands.status)
    const ended = new Promise<void>((resolve) => commands.once('end', () => resolve()))
    commands.disconnect()
    // ioredis never settles what was queued between two attempts if it is disconnected then: https://github.com/redis/ioredis/pull/2169
    this.#inFlight.timeOutAll()
    // Between two attempts no event follows, and ioredis still arms a timer for the socket that is gone:
    // https://github.com/redis/ioredis/issues/1247 (closed, but 6.0.0 still does)
    if (!hadSocket) await pause(disconnectTimeoutMs)
    else if ((await withTimeout(ended, endTimeoutMs)) === timedOut) {
      // A cluster client that was looking for its nodes may have added one since, and does not end while it has any (no issue is known).
      commands.disconnect()
      await withTimeout(ended, endTimeoutMs)
    }
  }

  #nodeOf(key: string): CommandConnection | undefined {
    return this.#masterAt(this.routeOf(key))
  }

  #masterAt(route: string): CommandConnection | undefined {
    const { cluster, commands } = this.#connections
    return cluster ? masterAt(cluster, route) : commands
  }

  /** Drops the connection to the server that owns a key, and connects again. Resolves when it is down: what was sent until then is lost. */
  async reconnect(key: string): Promise<void> {
    const { cluster, commands } = this.#connections
    const isUp = !cluster && commands.status === 'ready'
    const down = new Promise<void>((resolve) => (isUp ? commands.once('close', () => resolve()) : resolve()))
    this.#reconnectTo(this.routeOf(key))
    await within(down, disconnectTimeoutMs)
  }

  /** Drops a broken or demoted connection and connects again. */
  #reconnectTo(route: string): void {
    const { cluster, commands } = this.#connections
    if (cluster) this.#masterAt(route)?.disconnect()
    else if (commands.status === 'ready') commands.disconnect(true)
  }

  /**
   * @param send - is called once more, to send in full, when the server does not have the script
   * @param master - where it sends, if that does not follow from the key
   */
  #limited<Reply, T>(
    key: string,
    timeoutMs: number,
    send: (inFull: boolean) => Promise<Reply>,
    read: (reply: Reply) => T,
    master?: string,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) throw closed()
      const refusal = this.#watch.refusal
      if (refusal) throw toRedisError(refusal, this.#connections.server)
      const route = this.#routes.to(master ?? this.routeOf(key))
      route.sent()
      const command = new InFlight(key, route, timeoutMs, reject, master, this.#onLate)
      const onReply = (reply: Reply): void => {
        if (!this.#settle(command)) return
        try {
          this.#watch.onReply()
          resolve(read(reply))
        } catch (error) {
          if (isOutOfStep(error)) this.#reconnectTo(master ?? this.routeOf(key))
          this.#fail(command, error)
        }
      }
      const onError = (error: unknown): void => {
        if (this.#settle(command)) this.#fail(command, error)
      }
      const sent = send(false)
      this.#inFlight.add(command, timeoutMs)
      sent.then(onReply, (error: unknown) => {
        if (hasCode(error, 'NOSCRIPT')) send(true).then(onReply, onError)
        else onError(error)
      })
    })
  }

  /**
   * A reply or an error came back. Returns whether the command was still waited for; a reply that comes too late shows a slow
   * connection, not a mute one.
   */
  #settle(command: InFlight): boolean {
    command.route.settled()
    return this.#inFlight.delete(command)
  }

  readonly #onLate = (command: InFlight): void => {
    if (!this.#closed) this.#reconnectIfMute(command)
    this.#fail(command, this.#closed ? closed() : this.#noReply(command))
  }

  #fail({ key, reject, master }: InFlight, error: unknown): void {
    reject(this.#explained(error, key, master))
  }

  /** Leaves a demoted server, and returns the error that says why a command failed. */
  #explained(thrown: unknown, key: string, master?: string): HoldfastError {
    if (hasCode(thrown, 'READONLY')) this.#reconnectTo(master ?? this.routeOf(key))
    const used = { key, patterns: this.#options.patternsFor(key) }
    return toRedisError(this.#watch.explained(toError(thrown)), this.#connections.server, used)
  }

  #noReply({ timeoutMs }: InFlight): HoldfastError {
    const { server } = this.#connections
    const { refusal } = this.#watch
    if (refusal) return toRedisError(refusal, server)
    const cause = this.#watch.errorSince(monotonicMs() - timeoutMs)
    const { doubt } = this.#watch
    const why = cause ? `; last error: ${cause.message}` : doubt === undefined ? '' : `: ${doubt}`
    return new UnavailableError(`${server} did not reply within ${timeoutMs} ms${why}`, {
      cause,
      engine: engineName,
    })
  }

  #reconnectIfMute({ key, route, master }: InFlight): void {
    if (!route.isMute) return
    route.settled()
    this.#reconnectTo(master ?? this.routeOf(key))
  }
}

/** By then sockets have been destroyed, and their end has been reported. */
const endTimeoutMs = 5 * disconnectTimeoutMs

const closed = (): ClosedError => new ClosedError('the Holdfast client is closed')

const unknownNode = (): UnavailableError =>
  new UnavailableError('the node that owns the key is not known', { engine: engineName })

const asItIs = <T>(reply: T): T => reply

/** A connection that leaves commands unanswered for this long is replaced when the next of them times out. */
const muteAfterMs = 1000

/** A server, or the cluster node that owns some slots, and for how long it has owed a reply. */
class Route {
  /** When the first command was sent since the last reply; `Infinity` when no reply is owed. */
  #silentSince = Infinity

  sent(): void {
    if (this.#silentSince === Infinity) this.#silentSince = monotonicMs()
  }

  /** A reply came, or none will come any more. */
  settled(): void {
    this.#silentSince = Infinity
  }

  get isMute(): boolean {
    return monotonicMs() - this.#silentSince >= muteAfterMs
  }
}

/** The routes by the names of their nodes. Commands under way keep theirs, so a route is never replaced by another. */
class Routes {
  readonly #routes = new Map<string, Route>()

  to(name: string): Route {
    let route = this.#routes.get(name)
    if (!route) this.#routes.set(name, (route = new Route()))
    return route
  }

  /** A connection broke: what was under way says nothing of the next one. */
  onBreak(): void {
    for (const route of this.#routes.values()) route.settled()
  }
}

type Ioredis = Exclude<ReturnType<typeof loadIoredis>, Error>

type Words = readonly (string | number)[]

export type SendScript = (sha1: string, keys: readonly string[], args: Words) => Promise<unknown>

const textReplies = { replyEncoding: 'utf8' } as const

/**
 * A command class for an EVALSHA that is written in one piece. ioredis copies the arguments of a command several times,
 * looks at each, and puts a text together from them bit by bit. With as many short ones as our scripts have, that is about
 * half of what a cycle costs in the client.
 */
function makeScriptCommand({ Command }: Ioredis) {
  return class ScriptCommand extends Command {
    readonly #text: string

    constructor(sha1: string, keys: readonly string[], args: Words) {
      super('evalsha', [], textReplies)
      // Not all of them: a cluster client finds its way by the keys.
      this.args = [sha1, String(keys.length), ...keys]
      this.#text = request(sha1, keys, args)
    }

    override toWritable(): string {
      return this.#text
    }
  }
}

/** Lengths are counted in bytes, which are mostly as many as the characters. */
function request(sha1: string, keys: readonly string[], args: Words): string {
  const start = `*${3 + keys.length + args.length}\r\n$7\r\nevalsha${prefixOf(sha1.length)}${sha1}`
  const words = [String(keys.length), ...keys, ...args]
  let text = start
  for (const word of words) {
    // Not a function: it would be what a cycle calls most, which shows until it is compiled.
    const each = typeof word === 'string' ? word : String(word)
    text += (prefixes[each.length] ?? prefixOf(each.length)) + each
  }
  if (Buffer.byteLength(text) === text.length) return text + '\r\n'
  const encoded = words.map(String).map((each) => prefixOf(Buffer.byteLength(each)) + each)
  return `${start}${encoded.join('')}\r\n`
}

/** What precedes a word of so many bytes. */
const prefixOf = (length: number): string => `\r\n$${length}\r\n`

const prefixes = Array.from({ length: 128 }, (_, length) => prefixOf(length))

/** One class for all connections: V8 optimizes for the classes that it sees. */
let scriptCommand: ReturnType<typeof makeScriptCommand> | undefined

/** How to send scripts on this connection. One of another copy of ioredis may not understand our commands. */
export function scriptSender(connection: CommandConnection): SendScript {
  const ioredis = loadIoredis()
  const isOurs =
    !(ioredis instanceof Error) &&
    (connection instanceof ioredis.Redis || connection instanceof ioredis.Cluster)
  if (!isOurs) {
    return (sha1, keys, args) => connection.evalsha(sha1, keys.length, ...keys, ...args)
  }
  const ScriptCommand = (scriptCommand ??= makeScriptCommand(ioredis))
  return (sha1, keys, args) => {
    const command = new ScriptCommand(sha1, keys, args)
    connection.sendCommand(command)
    return command.promise
  }
}

type Stream = NonNullable<CommandConnection['stream']>
type ConnectionFor = (key: string) => Pick<CommandConnection, 'stream'> | undefined

/** With this few in flight, write at once: holding back would leave the server idle. */
const fewInFlight = 4
const minBatch = 2
const maxBatch = 16
/**
 * A third of what is in flight is enough for a write: the server still has the rest to work on, since a command costs the
 * client less than three times what it costs the server.
 */
const writes = 3

/**
 * Sends what is written on a connection in one turn of the event loop in few writes, since each is a system call. A single
 * one would be too few: the server would idle until the turn ends, and then the client.
 */
export class WriteCoalescer {
  readonly #connectionFor: ConnectionFor
  /** How many commands are held back; 0 while none is. */
  readonly #held = new WeakMap<Stream, { commands: number }>()

  /** @param connectionFor - on which commands for a key are sent, as far as that is known */
  constructor(connectionFor: ConnectionFor) {
    this.#connectionFor = connectionFor
  }

  /**
   * Called before a command is sent. Where much is in flight, holds it back until there is enough of it or the turn ends;
   * promise callbacks are part of a turn.
   */
  beforeWrite(key: string, inFlight: number): void {
    if (inFlight <= fewInFlight) return
    const stream = this.#connectionFor(key)?.stream
    if (!stream) return
    let held = this.#held.get(stream)
    if (!held) this.#held.set(stream, (held = { commands: 0 }))
    if (held.commands === 0) {
      stream.cork()
      process.nextTick(this.#release, stream, held)
    } else if (held.commands >= Math.min(maxBatch, Math.max(minBatch, Math.ceil(inFlight / writes)))) {
      stream.uncork()
      stream.cork()
      held.commands = 0
    }
    held.commands++
  }

  readonly #release = (stream: Stream, held: { commands: number }): void => {
    held.commands = 0
    stream.uncork()
  }
}
