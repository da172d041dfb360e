import { Redis } from 'ioredis'
import type { ScriptCall } from '../../src/redis/connection/script-connection.js'
import { scripts, type ScriptName } from '../../src/redis/scripts/generated.js'

/** Scripts as they are, or with parts of their text replaced. */
export type Lua = ReadonlyMap<ScriptName, string>

export const luaOf = (names: readonly ScriptName[]): Lua =>
  new Map(names.map((name) => [name, scripts[name].lua]))

export interface Message {
  readonly channel: string
  readonly text: string
}

/** What is published, from one marker to the next. */
interface Published {
  readonly messages: Message[]
  readonly resolve: (messages: readonly Message[]) => void
}

const marker = 'holdfast:steps:marker'

/** A real server: runs scripts in the order in which they are sent, and tells what each of them published. */
export class Server {
  readonly redis: Redis
  readonly #inboxes: Redis
  /** By the script's own SHA-1: that of what runs in its place. */
  readonly #shas = new Map<string, string>()
  readonly #published: Published[] = []
  /** The server's clock is so far ahead of this process's. */
  #aheadMs = 0

  private constructor(url: string) {
    this.redis = new Redis(url, { enableAutoPipelining: true })
    this.#inboxes = new Redis(url)
    this.#inboxes.on('message', (channel: string, text: string) => this.#onMessage({ channel, text }))
  }

  /** @param inboxes - the channels to listen on */
  static async open(url: string, inboxes: readonly string[], lua: Lua): Promise<Server> {
    const server = new Server(url)
    await server.#inboxes.subscribe(marker, ...inboxes)
    for (const [name, text] of lua) {
      server.#shas.set(scripts[name].sha1, String(await server.redis.script('LOAD', text)))
    }
    const [seconds, us] = await server.redis.time()
    server.#aheadMs = Number(seconds) * 1_000 + Number(us) / 1_000 - Date.now()
    return server
  }

  get nowMs(): number {
    return Math.floor(Date.now() + this.#aheadMs)
  }

  /** Runs a script, as the library's connection does. */
  readonly run = async <T>(call: ScriptCall, read: (reply: unknown, call: ScriptCall) => T): Promise<T> => {
    const { script, keys, args } = call
    const sha = this.#shas.get(script.sha1) ?? ''
    return read(await this.redis.evalsha(sha, keys.length, ...keys, ...args), call)
  }

  /** What was published since this was called before, by all that has been sent until now. */
  published(): Promise<readonly Message[]> {
    return new Promise((resolve, reject) => {
      this.#published.push({ messages: [], resolve })
      this.redis.publish(marker, '').catch(reject)
    })
  }

  close(): void {
    this.redis.disconnect()
    this.#inboxes.disconnect()
  }

  #onMessage(message: Message): void {
    const [first] = this.#published
    if (message.channel !== marker) {
      first?.messages.push(message)
      return
    }
    this.#published.shift()
    first?.resolve(first.messages)
  }
}
