import type { Realm } from '../realm.js'
import type { CommandContext } from './command.js'
import { carryOut, commandOf, unknownCommand } from './commands.js'
import { Database, type Change } from './database.js'
import { Failure, ok, type Reply } from './reply.js'
import { Scripting, type Version } from './scripting.js'

/** The server's end of a connection. */
export interface Peer {
  /** What it is subscribed to. */
  readonly channels: Set<string>
  reply(reply: Reply): void
  tell(channel: string, message: string): void
  /** It is closed by the server. */
  end(why: string): void
}

/** What a master has others repeat: all that one command or script changed and published. */
export interface Effects {
  readonly changes: readonly Change[]
  readonly messages: readonly (readonly [channel: string, message: string])[]
}

/** One run of a script, with all that it depends on but the data. */
export interface ScriptRun {
  readonly lua: string
  /** How many keys there are, the keys, and the arguments. */
  readonly words: readonly string[]
  /** Since the epoch. */
  readonly nowUs: number
  /** How many subscribers each channel has. */
  readonly subscribers: ReadonlyMap<string, number>
  readonly reply: Reply
  readonly messages: Effects['messages']
}

const hourMs = 3_600_000

/** A Redis server: its data, its clients, and what is wrong with it. Runs in a process of its own. */
export class RedisServer {
  readonly realm: Realm
  readonly address: string
  readonly version: Version
  readonly database: Database
  readonly peers = new Set<Peer>()
  isMaster: boolean
  /** It does not run: connections are refused. */
  isDown = false
  isFull = false
  /** The error with which it rejects everything. */
  rejects: string | undefined
  /** Those that repeat what it does. */
  followers: ((effects: Effects) => void)[] = []
  /** Is told of each script. */
  onRun: ((run: ScriptRun) => void) | undefined
  readonly #scripting = new Scripting()
  readonly #messages: (readonly [channel: string, message: string])[] = []
  #runId: string
  #startedAtMs: number

  constructor(realm: Realm, address: string, version: Version, isMaster: boolean) {
    this.realm = realm
    this.address = address
    this.version = version
    this.isMaster = isMaster
    this.database = new Database(() => Math.floor(realm.wallMs))
    this.#runId = drawId(realm)
    this.#startedAtMs = realm.wallMs - hourMs
  }

  accept(peer: Peer): void {
    this.peers.add(peer)
  }

  drop(peer: Peer): void {
    this.peers.delete(peer)
  }

  /** Another process has its address and, unless they are lost, its data. */
  restart(keepsData: boolean): void {
    this.endAll('the server was shut down')
    this.#scripting.flush()
    if (!keepsData) this.database.clear()
    this.#runId = drawId(this.realm)
    this.#startedAtMs = this.realm.wallMs
  }

  endAll(why: string): void {
    for (const peer of [...this.peers]) this.kill(peer, why)
  }

  kill(peer: Peer, why: string): void {
    this.drop(peer)
    peer.end(why)
  }

  flushScripts(): void {
    this.#scripting.flush()
  }

  /** A request has arrived. */
  receive(peer: Peer, [name = '', ...args]: readonly string[]): void {
    if (!this.peers.has(peer)) return
    peer.reply(this.#answer(peer, name.toUpperCase(), args.map(bytesOf)))
    this.#replicate()
  }

  /** A message of somebody who is none of the simulated processes. */
  readonly publish = (channel: string, message: string): void => {
    this.#deliver(channel, message)
  }

  /** How many of its clients are subscribed to that. */
  subscriberCount(channel: string): number {
    return this.#subscribers(channel).length
  }

  /** Repeats what its master did. */
  repeat({ changes, messages }: Effects): void {
    this.database.apply(changes)
    for (const [channel, message] of messages) this.#deliver(channel, message)
    for (const follow of this.followers) follow({ changes, messages })
  }

  #answer(peer: Peer, name: string, args: readonly string[]): Reply {
    switch (name) {
      case 'CLIENT':
        return ok
      case 'SUBSCRIBE':
        for (const channel of args) peer.channels.add(channel)
        return 'subscribe'
      case 'UNSUBSCRIBE':
        for (const channel of args) peer.channels.delete(channel)
        return 'unsubscribe'
    }
    if (this.rejects !== undefined && name !== 'PING') return new Failure(this.rejects)
    const [first = '', ...words] = args
    const rules = { version: this.version, isReadOnly: !this.isMaster, isFull: this.isFull }
    const context = this.#context()
    if (name === 'EVAL' || name === 'EVALSHA') {
      const hash = name === 'EVAL' ? this.#scripting.load(first) : first
      const reply = this.#scripting.run(hash, words, context, rules)
      this.#show(hash, words, context.nowUs, reply)
      return reply
    }
    const command = commandOf(name)
    if (!command) return unknownCommand(name)
    if (command.writes && !this.isMaster)
      return new Failure("READONLY You can't write against a read only replica.")
    return carryOut(command, context, args)
  }

  #show(hash: string, words: readonly string[], nowUs: number, reply: Reply): void {
    const lua = this.onRun && this.#scripting.textOf(hash)
    if (lua === undefined) return
    const channels = new Set([...this.peers].flatMap((peer) => [...peer.channels]))
    const subscribers = new Map([...channels].map((channel) => [channel, this.subscriberCount(channel)]))
    this.onRun?.({ lua, words, nowUs, subscribers, reply, messages: [...this.#messages] })
  }

  #context(): CommandContext {
    const nowUs = Math.floor(this.realm.wallMs * 1_000)
    return {
      database: this.database,
      nowUs,
      nowMs: Math.floor(nowUs / 1_000),
      random: this.realm.random,
      info: (section) => this.#info(section),
      subscribers: (channel) => this.#subscribers(channel).length,
      channels: () => [...new Set([...this.peers].flatMap(({ channels }) => [...channels]))],
      publish: (channel, message) => {
        this.#messages.push([channel, message])
        return this.#deliver(channel, message)
      },
    }
  }

  #subscribers(channel: string): Peer[] {
    return [...this.peers].filter(({ channels }) => channels.has(channel))
  }

  #deliver(channel: string, message: string): number {
    const subscribers = this.#subscribers(channel)
    for (const peer of subscribers) peer.tell(channel, message)
    return subscribers.length
  }

  #replicate(): void {
    const changes = this.database.takeChanges()
    const messages = this.#messages.splice(0)
    if (changes.length + messages.length === 0) return
    for (const follow of this.followers) follow({ changes, messages })
  }

  #info(section: string): string {
    const uptimeS = Math.floor((this.realm.wallMs - this.#startedAtMs) / 1_000)
    switch (section.toLowerCase()) {
      case 'server':
        return `# Server\r\nredis_version:${this.version}\r\nrun_id:${this.#runId}\r\nuptime_in_seconds:${uptimeS}\r\n`
      case 'replication':
        return `# Replication\r\nrole:${this.isMaster ? 'master' : 'slave'}\r\nconnected_slaves:${this.followers.length}\r\n`
      default:
        return '# Memory\r\nmaxmemory_policy:noeviction\r\n'
    }
  }
}

const drawId = ({ random }: Realm): string =>
  Array.from({ length: 40 }, () => Math.floor(random() * 16).toString(16)).join('')

/** A text as scripts have it: with a character for each of its bytes. */
function bytesOf(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1')
}
