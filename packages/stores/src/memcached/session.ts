import type { DocumentHost, DocumentSession, Snapshot } from '../documents/index.js'
import { Client } from './client/client.js'
import type { Connection } from './client/connection.js'
import { OtherConnectionError, UnfitServerError } from './client/failures.js'
import type { Reply } from './client/reply-stream.js'
import {
  ageMs,
  carriedS,
  clockText,
  farAway,
  newDataId,
  opensInMs,
  readClock,
  type ClockReading,
} from './clock-key.js'
import { casOf, commandOf, flagOf, unexpected, wasReplaced, type Version } from './commands.js'
import { closed, toMemcachedError } from './errors.js'
import { Greeting } from './greeting.js'
import { keyOf } from './keys.js'
import type { MemcachedSettings } from './options.js'
import { evicts, unfit } from './server-check.js'

/** How often the clock key is looked at, so that holders learn of lost data before the grace is over. */
const beatMs = 1_000
const longestSilenceMs = 1_000

/**
 * Documents in memcached, and the clock key beside them.
 *
 * The clock key is read after the document, in one write: then a document that is absent was absent while the data was that of the clock key,
 * and not lost with it.
 */
export class MemcachedSession implements DocumentSession<Version> {
  readonly storeName: string
  readonly #settings: MemcachedSettings
  readonly #host: DocumentHost
  readonly #client: Client
  readonly #greeting: Greeting
  readonly #clockKey: string
  #isClosed = false
  #hasWarned = false
  #beat: NodeJS.Timeout | undefined
  /** The clock key as it was seen last. */
  #seen: ClockReading | undefined
  /** The longest lease of this client that `graceMs` does not overrule, seconds. */
  #leaseS: number
  /** For how long the data have to stay closed after those that this client saw before, seconds. */
  #lostS = 0

  constructor(settings: MemcachedSettings, host: DocumentHost) {
    const { endpoint, prefix, user } = settings
    this.storeName = `memcached at ${endpoint.name}`
    this.#settings = settings
    this.#host = host
    this.#clockKey = `${prefix}clock`
    this.#leaseS = Math.ceil((settings.graceMs ?? host.watchdogTimeoutMs) / 1_000)
    this.#greeting = new Greeting(user)
    this.#client = new Client(
      { endpoint, silenceMs: Math.min(longestSilenceMs, host.commandTimeoutMs) },
      {
        greet: (connection, timeoutMs) => this.#greet(connection, timeoutMs),
        connected: () => this.#onConnected(),
        broken: (cause) => this.#onBroken(cause),
      },
    )
  }

  get connectionEpoch(): number {
    return this.#client.epoch
  }

  async prepare(): Promise<void> {
    await this.#attempt(() => this.#client.connect(this.#host.commandTimeoutMs))
    this.#beat ??= setInterval(() => void this.#look(), beatMs).unref()
  }

  /** Has all later reads make sure that the clock key knows of it. */
  willLease(leaseMs: number): void {
    if (this.#settings.graceMs === undefined)
      this.#leaseS = Math.max(this.#leaseS, Math.ceil(leaseMs / 1_000))
  }

  read(key: string, timeoutMs: number): Promise<Snapshot<Version>> {
    const endAt = performance.now() + timeoutMs
    return this.#attempt(async () => {
      for (;;) {
        const leftMs = Math.max(1, endAt - performance.now())
        const commands = [`mg ${this.#settings.prefix}${keyOf(key)} v c\r\n`, this.#lookAtClock]
        const { replies, epoch } = await this.#client.send(commands, leftMs)
        const [document, clockReply] = replies
        const clock = this.#noteClock(clockReply)
        if (!clock) {
          await this.#makeClock(leftMs)
          continue
        }
        if (await this.#raiseClock(clock, casOf(clockReply), epoch, leftMs)) continue
        const { nowS, id } = clock
        return {
          text: document?.value ?? '',
          version: { cas: casOf(document), epoch, nowS, dataId: id },
          nowUs: nowS * 1_000_000,
          incarnation: id,
          opensInMs: opensInMs(clock),
        }
      }
    })
  }

  replace(key: string, text: string, version: Version, keepMs: number, timeoutMs: number): Promise<boolean> {
    const ownKey = `${this.#settings.prefix}${keyOf(key)}`
    const command = commandOf(ownKey, text, version, keepMs)
    if (command === undefined) return Promise.resolve(true)
    const endAt = performance.now() + timeoutMs
    // The version of a document that is absent is that of all data: the clock key tells whether it was added to those that were read.
    const isNew = version.cas === ''
    const commands = isNew ? [command, this.#lookAtClock] : [command]
    return this.#attempt(async () => {
      try {
        const { replies } = await this.#client.send(commands, timeoutMs, version.epoch)
        if (!wasReplaced(replies[0])) return false
        if (!isNew || this.#noteClock(replies[1])?.id === version.dataId) return true
        await this.#takeBack(ownKey, text, endAt)
        return false
      } catch (error) {
        if (error instanceof OtherConnectionError) return false
        throw error
      }
    })
  }

  uptimeMs(): Promise<number | undefined> {
    return this.#attempt(async () => {
      const { replies } = await this.#client.send([this.#lookAtClock], this.#host.commandTimeoutMs)
      const clock = this.#noteClock(replies[0])
      return clock ? ageMs(clock) : 0
    })
  }

  close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#beat)
    this.#client.close()
    return Promise.resolve()
  }

  /** Deletes a document that says this, if there is one. What another client has made of it by now stays. */
  async #takeBack(ownKey: string, text: string, endAt: number): Promise<void> {
    const leftMs = (): number => Math.max(1, endAt - performance.now())
    const { replies, epoch } = await this.#client.send([`mg ${ownKey} v c\r\n`], leftMs())
    if (replies[0]?.value !== text) return
    await this.#client.send([`md ${ownKey} C${casOf(replies[0])}\r\n`], leftMs(), epoch)
  }

  get #lookAtClock(): string {
    return `mg ${this.#clockKey} v t c\r\n`
  }

  async #greet(connection: Connection, timeoutMs: number): Promise<void> {
    const word = await this.#greeting.introduce(connection, timeoutMs)
    const reason = unfit(word, this.#settings.mayEvict)
    if (reason !== undefined) throw new UnfitServerError(reason)
    if (!evicts(word.settings) || this.#hasWarned) return
    this.#hasWarned = true
    this.#host.warn(
      'EVICTION_POLICY',
      `${this.storeName} deletes locks to make room for other data when it is full. Start it with -M.`,
    )
  }

  #onConnected(): void {
    if (this.#client.epoch > 0) this.#host.reconnected()
  }

  #onBroken(cause: Error): void {
    this.#host.broken()
    this.#host.error(toMemcachedError(cause, this.storeName))
  }

  /** In the background, where an outage shows by itself. */
  async #look(): Promise<void> {
    try {
      const { replies, epoch } = await this.#client.send([this.#lookAtClock], beatMs)
      const clock = this.#noteClock(replies[0])
      if (clock) await this.#raiseClock(clock, casOf(replies[0]), epoch, beatMs)
      else await this.#makeClock(beatMs)
    } catch {
      // Requests report it.
    }
  }

  /** `undefined`: there is no clock key. */
  #noteClock(reply: Reply | undefined): ClockReading | undefined {
    if (reply?.code === 'EN') return undefined
    if (reply?.code !== 'VA') throw unexpected(reply)
    const clock = readClock(reply.value, Number(flagOf(reply, 't')))
    if (!clock) {
      throw new UnfitServerError(
        `its key ${this.#clockKey} is not Holdfast's clock: delete it, or give another prefix`,
      )
    }
    const before = this.#seen
    this.#seen = clock
    if (before && before.id !== clock.id) {
      this.#lostS = carriedS(before)
      // Who holds something has to learn what became of it before the data open.
      this.#host.reconnected()
    }
    return clock
  }

  /** Of several clients that miss it one makes it. */
  async #makeClock(timeoutMs: number): Promise<void> {
    const { replies, epoch } = await this.#client.send(['stats\r\n'], timeoutMs)
    const nowS = Number(replies[0]?.stats.get('time'))
    if (!(nowS > 0)) throw unexpected(replies[0])
    const leaseS = this.#leaseS
    const closedS = Math.max(leaseS, this.#seen ? carriedS(this.#seen) : 0)
    const text = clockText({ id: newDataId(), madeS: nowS, closedS, leaseS })
    const command = `add ${this.#clockKey} 0 ${farAway} ${text.length}\r\n${text}\r\n`
    // The time is that of the server behind this connection.
    const [reply] = (await this.#client.send([command], timeoutMs, epoch)).replies
    if (reply?.code !== 'STORED' && reply?.code !== 'NOT_STORED') throw unexpected(reply)
  }

  /**
   * Adds to the clock key what only this client knows. Data that have opened stay open.
   *
   * @returns whether it has to be read again
   */
  async #raiseClock(clock: ClockReading, cas: string, epoch: number, timeoutMs: number): Promise<boolean> {
    const leaseS = Math.max(clock.leaseS, this.#leaseS)
    const closedS = opensInMs(clock) > 0 ? Math.max(clock.closedS, this.#lostS) : clock.closedS
    if (leaseS === clock.leaseS && closedS === clock.closedS) return false
    const text = clockText({ ...clock, closedS, leaseS })
    const command = `cas ${this.#clockKey} 0 ${farAway} ${text.length} ${cas}\r\n${text}\r\n`
    // What another client has made of it by now is read next.
    wasReplaced((await this.#client.send([command], timeoutMs, epoch)).replies[0])
    return true
  }

  async #attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#isClosed ? closed() : toMemcachedError(error, this.storeName)
    }
  }
}
