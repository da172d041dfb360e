import {
  comparedOwners,
  done,
  lockNames,
  nothing,
  type Contents,
  type LocksStep,
  type RanOnLocks,
  type StepStore,
} from '@holdfast/model'
import { inboxOf } from './inboxes.js'
import { redisLock } from './redis-lock.js'
import { commandsOn, RedisStore } from './redis-store.js'
import { luaOf, Server, type Lua } from './server.js'

export const multiScripts = [...redisLock.scripts, 'multiAcquire'] as const

/** Several locks on a real server, and the script that acquires some of them at once. */
export class RedisLocks implements StepStore<LocksStep, readonly Contents[], RanOnLocks> {
  readonly #server: Server
  readonly #locks: Readonly<Record<string, RedisStore>>

  private constructor(server: Server) {
    this.#server = server
    const open = (name: string): RedisStore => new RedisStore(server, redisLock, comparedOwners, name)
    this.#locks = Object.fromEntries(lockNames.map((name) => [name, open(name)]))
  }

  static async open(url: string, lua: Lua = luaOf(multiScripts)): Promise<RedisLocks> {
    const inboxes = comparedOwners.map((owner) => inboxOf(owner, false))
    return new RedisLocks(await Server.open(url, inboxes, lua))
  }

  async run(step: LocksStep): Promise<RanOnLocks> {
    switch (step.kind) {
      case 'acquire many': {
        const locks = step.locks.map(({ lock, owner }) => ({ address: this.#lock(lock).keys, owner }))
        const reply = await commandsOn(this.#server, '').acquireMany?.({ ...step, locks })
        if (!reply) throw new Error('native locks are acquired together')
        return { reply, notices: [] }
      }
      case 'one':
        return this.#lock(step.lock).run(step.step)
      case 'pass':
        await Promise.all(Object.values(this.#locks).map((lock) => lock.run(step)))
        return { reply: done, notices: [] }
    }
  }

  read(): Promise<readonly Contents[]> {
    return Promise.all(Object.values(this.#locks).map((lock) => lock.read()))
  }

  async restore(contents: readonly Contents[]): Promise<void> {
    const locks = Object.values(this.#locks)
    await Promise.all(locks.map((lock, i) => lock.restore(contents[i] ?? nothing)))
  }

  async close(): Promise<void> {
    await this.restore([])
    this.#server.close()
  }

  #lock(name: string): RedisStore {
    const lock = this.#locks[name]
    if (!lock) throw new Error(`there is no lock ${name}`)
    return lock
  }
}
