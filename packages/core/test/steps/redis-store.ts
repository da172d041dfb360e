import {
  done,
  nothing,
  refreshed,
  type Contents,
  type ExploredStore,
  type Ran,
  type Reply,
  type Step,
  type Way,
} from '@holdfast/model'
import { nativeCalls, RedisCommands } from '../../src/redis/commands.js'
import type { Keys } from '../../src/redis/keys.js'
import { acquireManyBy, sharedCalls } from '../../src/redis/carried-steps.js'
import { plainKeySpace } from '../support/key-space.js'
import { inboxOf, noticesIn } from './inboxes.js'
import { moveInboxLua, passLua, readLua } from './lua.js'
import type { Command, KeyContents, Leftover, RedisKind } from './redis-kind.js'
import { luaOf, Server, type Lua } from './server.js'
import { readWaiting, restoreWaiting } from './waiting.js'

const calls = { lock: nativeCalls(true), shared: sharedCalls(true) }

/** The commands of a client that knows of no token but what it is told. */
export function commandsOn(server: Server, inbox: string): RedisCommands {
  const commands = new RedisCommands({
    connection: server,
    calls,
    inbox,
    onNoticeError: (error) => {
      throw new Error(error)
    },
  })
  acquireManyBy(commands, server)
  return commands
}

/** One object on a real server, which has it to itself: runs the real scripts, as the library calls them. */
export class RedisStore implements ExploredStore<Leftover> {
  readonly keys: Keys
  readonly #server: Server
  readonly #kind: RedisKind
  readonly #owners: readonly string[]
  readonly #keyList: readonly string[]
  #unsubscribed: ReadonlySet<string> = new Set()

  /** @param owners - all whose clients are subscribed, or may leave something behind */
  constructor(server: Server, kind: RedisKind, owners: readonly string[], name = 'model') {
    this.#server = server
    this.#kind = kind
    this.#owners = owners
    this.keys = plainKeySpace.locate(name, kind.object)
    this.#keyList = kind.keyList(this.keys)
  }

  static async open(
    url: string,
    kind: RedisKind,
    owners: readonly string[],
    lua: Lua = luaOf(kind.scripts),
  ): Promise<RedisStore> {
    const inboxes = owners.map((owner) => inboxOf(owner, false))
    return new RedisStore(await Server.open(url, inboxes, lua), kind, owners)
  }

  get ways(): readonly Way<Leftover>[] {
    return this.#kind.ways
  }

  async run(step: Step): Promise<Ran> {
    const unsubscribed = this.#unsubscribed
    const [reply, messages] = await Promise.all([this.#take(step), this.#server.published()])
    const notices = messages.flatMap(({ text }) => noticesIn(text))
    // An eviction is reported to whatever inbox the owner has; a grant that no client receives must not be.
    const arrived = notices.filter(({ kind, owner }) => kind === 'granted' || !unsubscribed.has(owner))
    return { reply, notices: arrived }
  }

  async read(): Promise<Contents> {
    const kind = this.#kind
    const unsubscribed = this.#unsubscribed
    const [nowText, ...all] = await this.#eval<[string, ...[number, string[]][]]>(readLua, [])
    const nowMs = Number(nowText)
    const keys = all.map(([ttlMs, list]): KeyContents => ({ ttlMs, list }))
    const own = kind.read(keys, nowMs)
    const waiting = readWaiting(keys.slice(kind.queueAt), nowMs, kind.entries, (owner) =>
      unsubscribed.has(owner),
    )
    const problems = [...own.problems, ...waiting.problems]
    return { ...nothing, ...own, ...waiting, problems, unsubscribed: [...unsubscribed].sort() }
  }

  async restore(contents: Contents, leftover?: Leftover): Promise<void> {
    const { nowMs, redis } = this.#server
    const { entries } = this.#kind
    this.#unsubscribed = new Set(contents.unsubscribed)
    const left = leftover && { kind: leftover, owners: this.#owners }
    const commands: Command[] = [
      ['del', ...this.#keyList],
      ...this.#kind.restore(contents, this.keys, nowMs),
      ...restoreWaiting(contents, this.keys, nowMs, entries, left),
    ]
    await Promise.all(commands.map(([name, ...args]) => redis.call(name, args)))
  }

  async close(): Promise<void> {
    await this.#server.redis.del(...this.#keyList)
    this.#server.close()
  }

  async #take(step: Step): Promise<Reply> {
    const { keys } = this
    const owner = 'owner' in step ? step.owner : ''
    const commands = commandsOn(this.#server, inboxOf(owner, this.#unsubscribed.has(owner)))
    if ('tokenFloor' in step) commands.noteToken(keys, step.tokenFloor)
    switch (step.kind) {
      case 'acquire':
        return commands.acquire(keys, { ...step, wantsToken: true })
      case 'release':
        return commands.release(keys, step)
      case 'force':
        return commands.force(keys, step.owner)
      case 'resize':
        return commands.resize(keys, step, 0)
      case 'renew': {
        const [kind = 'no-reply'] = await commands.renew([{ ...step, address: keys }], 0)
        return { kind }
      }
      case 'refresh': {
        const [entry] = await commands.refresh([{ ...step, address: keys }])
        return entry ? refreshed(entry) : done
      }
      case 'inspect':
        return commands.inspect(keys, step.limit)
      case 'subscribe':
      case 'unsubscribe':
        await this.#move(step.owner, step.kind === 'unsubscribe')
        return done
      case 'pass':
        await this.#eval(passLua, [step.ms, this.#kind.queueAt + 2, this.#kind.entries.unitsPerMs])
        return done
      case 'evict':
        await this.#server.redis.del(step.key === 'main' ? keys.main : keys.ends)
        return done
      case 'sweep':
        return done
    }
  }

  async #move(owner: string, isUnsubscribed: boolean): Promise<void> {
    const others = [...this.#unsubscribed].filter((each) => each !== owner)
    this.#unsubscribed = new Set(isUnsubscribed ? [...others, owner] : others)
    const inbox = inboxOf(owner, isUnsubscribed)
    await this.#server.redis.eval(moveInboxLua, 1, this.keys.waiters, owner, inbox)
  }

  #eval<T>(lua: string, args: readonly number[]): Promise<T> {
    const { redis } = this.#server
    return redis.eval(lua, this.#keyList.length, ...this.#keyList, ...args) as Promise<T>
  }
}
