import calculateSlot from 'cluster-key-slot'
import { ClosedError, UnavailableError } from '../../errors.js'
import { longestMs } from '../../options.js'
import { Bounded, Timeouts } from '../../util/timeouts.js'
import type { Script } from '../scripts/generated.js'
import { pause } from '../../util/backoff.js'
import { Corks } from './write-coalescer.js'
import { hasCode } from '../errors.js'
import { ConnectionWatch } from './connection-watch.js'
import type { ConnectionEvents } from './connection-watch.js'
import { disconnectTimeoutMs, masterAt } from './connections.js'
import type { Connections } from './connections.js'
import { numberAt } from '../reply.js'
import { Routes } from './routes.js'
import type { Route } from './routes.js'
import { scriptSender } from './script-command.js'
import type { SendScript } from './script-command.js'
import type { CommandConnection } from './types.js'

/** One run of a script. */
export interface ScriptCall {
  readonly script: Script
  readonly keys: readonly string[]
  readonly args: readonly (string | number)[]
  /** Sends the script itself, to a server that has not got it. */
  readonly inFull?: boolean
}

/** A command on its way. */
class InFlight extends Bounded {
  constructor(
    readonly key: string,
    readonly route: Route,
    readonly timeoutMs: number,
    readonly reject: (error: Error) => void,
    private readonly onLate: (command: InFlight) => void,
  ) {
    super()
  }

  onTimeout(): void {
    this.onLate(this)
  }
}

/** What a script replied, and how many replicas have all that its connection had written until then. */
export interface ReplicatedReply {
  readonly reply: unknown
  readonly acknowledged: number
}

export interface CommandLinkOptions extends ConnectionEvents {
  readonly timeoutMs: number
}

/** Sends scripts on one connection (or one cluster client) of our own, each with a bound on the time it may take. */
export class CommandLink {
  readonly #connections: Connections
  readonly #options: CommandLinkOptions
  readonly #routes = new Routes()
  readonly #inFlight = new Timeouts()
  readonly #corks = new Corks((key) => this.#nodeOf(key))
  readonly #evalsha: SendScript
  readonly #watch: ConnectionWatch
  #closed = false

  constructor(connections: Connections, options: CommandLinkOptions) {
    this.#connections = connections
    this.#options = options
    this.#evalsha = scriptSender(connections.commands)
    this.#watch = new ConnectionWatch(connections, {
      onBreak: () => {
        this.#routes.onBreak()
        options.onBreak()
      },
      onReconnect: () => {
        options.onReconnect()
      },
      onError: (error) => {
        options.onError(error)
      },
    })
  }

  /**
   * How often a connection broke so far. A command during which this number changed may have been sent twice
   * (ioredis's cluster client repeats by itself), or may have been carried out although it failed.
   */
  get breaks(): number {
    return this.#watch.breaks
  }

  /** The server, as far as we know, that answers for a key; all keys of one route share a connection. */
  routeOf(key: string): string {
    const { cluster } = this.#connections
    return cluster ? (cluster.slots[calculateSlot(key)]?.[0] ?? '') : ''
  }

  /** Keys of one group may go into one script call. */
  groupOf(key: string): string {
    return this.#connections.cluster ? String(calculateSlot(key)) : ''
  }

  /**
   * Runs a script, and answers with what `read` makes of its reply. Rejects with `UnavailableError` when none came
   * within `timeoutMs`; it may still run.
   */
  run<T>(
    call: ScriptCall,
    read: (reply: unknown) => T,
    timeoutMs: number = this.#options.timeoutMs,
  ): Promise<T> {
    const { script, keys, args } = call
    const { commands } = this.#connections
    const key = keys[0] ?? ''
    const send = (inFull: boolean): Promise<unknown> => {
      this.#corks.cork(key, this.#inFlight.size)
      return inFull
        ? commands.eval(script.lua, keys.length, ...keys, ...args)
        : this.#evalsha(script.sha1, keys, args)
    }
    return this.#bounded(key, timeoutMs, send, read)
  }

  /** Whether it is known which connection leads to the server that answers for a key. */
  isRouted(key: string): boolean {
    return this.#nodeOf(key) !== undefined
  }

  /**
   * Runs scripts of one route, and then `WAIT`. All of it is sent at once on one connection: `WAIT` speaks for what its own
   * connection wrote, so on one that was made anew in between it would speak for nothing.
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
      if (!node) throw new UnavailableError('the node that answers for the key is not known')
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
    return this.#bounded(key, timeoutMs, send, asItIs)
  }

  /** Reads a whole hash. */
  readHash(key: string): Promise<Record<string, string>> {
    const send = (): Promise<Record<string, string>> => this.#connections.commands.hgetall(key)
    return this.#bounded(key, this.#options.timeoutMs, send, asItIs)
  }

  /** Gives a broken or demoted connection up and makes it anew. */
  redial(key: string): void {
    const { cluster, commands } = this.#connections
    if (cluster) this.#nodeOf(key)?.disconnect()
    else if (commands.status === 'ready') commands.disconnect(true)
  }

  /** Closes the connection; resolves when it is gone. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const { commands } = this.#connections
    const hadSocket = !['reconnecting', 'close', 'end'].includes(commands.status)
    const ended = new Promise((resolve) => commands.once('end', resolve))
    commands.disconnect()
    // ioredis keeps what was queued between two attempts for ever when it is told to disconnect then.
    this.#inFlight.timeOutAll()
    // Between two attempts no event follows, and ioredis still arms a timer for the socket that is gone.
    await (hadSocket ? ended : pause(disconnectTimeoutMs))
  }

  /** The connection to the server that answers for a key, as far as we know. */
  #nodeOf(key: string): CommandConnection | undefined {
    const { cluster, commands } = this.#connections
    return cluster ? masterAt(cluster, this.routeOf(key)) : commands
  }

  /** @param send - is called once more, to send in full, when the server has not got the script */
  #bounded<Reply, T>(
    key: string,
    timeoutMs: number,
    send: (inFull: boolean) => Promise<Reply>,
    read: (reply: Reply) => T,
  ): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#closed) throw closed()
      this.#watch.assertNotRefused()
      const route = this.#routes.to(this.routeOf(key))
      route.sent()
      const command = new InFlight(key, route, timeoutMs, reject, this.#onLate)
      const onReply = (reply: Reply): void => {
        if (!this.#hears(command)) return
        try {
          this.#watch.onReply()
          resolve(read(reply))
        } catch (error) {
          this.#fail(command, error)
        }
      }
      const onError = (error: unknown): void => {
        if (this.#hears(command)) this.#fail(command, error)
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
   * Something came back. Whether the command was still waited for; an answer that comes after it was given up shows a slow
   * link, not a mute one.
   */
  #hears(command: InFlight): boolean {
    command.route.settled()
    return this.#inFlight.delete(command)
  }

  readonly #onLate = (command: InFlight): void => {
    if (!this.#closed) this.#redialIfMute(command)
    const text = `Redis did not answer within ${command.timeoutMs} ms`
    this.#fail(command, this.#closed ? closed() : new UnavailableError(text))
  }

  #fail({ key, reject }: InFlight, error: unknown): void {
    reject(this.#explained(error, key))
  }

  /** Gives a demoted server up, and answers with the error that says why a command got no answer. */
  #explained(given: unknown, key: string): Error {
    if (hasCode(given, 'READONLY')) this.redial(key)
    const error = given instanceof Error ? given : new Error(String(given))
    return this.#watch.explained(error)
  }

  #redialIfMute({ key, route }: InFlight): void {
    if (!route.isMute) return
    route.settled()
    this.redial(key)
  }
}

const closed = (): ClosedError => new ClosedError('the client is closed')

const asItIs = <T>(reply: T): T => reply
