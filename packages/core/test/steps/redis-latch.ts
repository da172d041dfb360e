import {
  latchClients,
  type LatchContents,
  type LatchNotice,
  type LatchRan,
  type LatchStep,
  type LatchStore,
} from '@holdfast/model'
import { clientOfInbox, inboxOf } from '../../src/redis/keys.js'
import { nativeLatchCalls, RedisLatches } from '../../src/redis/carried-steps.js'
import { heard } from '../support/heard.js'
import { plainKeySpace } from '../support/key-space.js'
import { passLua } from './lua.js'
import { luaOf, Server, type Lua, type Message } from './server.js'

export const latchScripts = [
  'latchSet',
  'latchCountDown',
  'latchWait',
  'latchDelete',
  'latchInspect',
] as const

/** One latch on a real server: runs the real scripts, as the library calls them. */
export class RedisLatch implements LatchStore {
  readonly #server: Server
  readonly #keys = plainKeySpace.locate('model', 'latch')

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(url: string, lua: Lua = luaOf(latchScripts)): Promise<RedisLatch> {
    return new RedisLatch(await Server.open(url, latchClients.map(inboxOf), lua))
  }

  async run(step: LatchStep): Promise<LatchRan> {
    const [reply, messages] = await Promise.all([this.#take(step), this.#server.published()])
    return { reply, notices: messages.map(noticeIn) }
  }

  async read(): Promise<LatchContents> {
    const contents = await this.#latchesOf('').inspect(this.#keys, 100)
    if (contents.kind !== 'latch') throw new Error(contents.reason)
    return contents
  }

  async forget(): Promise<void> {
    await this.#server.redis.del(...this.#keyList)
  }

  async close(): Promise<void> {
    await this.forget()
    this.#server.close()
  }

  async #take(step: LatchStep): Promise<LatchRan['reply']> {
    const keys = this.#keys
    switch (step.kind) {
      case 'set':
        return this.#latchesOf('', step.incarnation).set(keys, step, 0)
      case 'count down':
        return this.#latchesOf('').countDown(keys, step, 0)
      case 'delete':
        return this.#latchesOf('').delete(keys, step, 0)
      case 'wait': {
        const { clientId, awaited, aliveMs } = step
        const [reply] = await this.#latchesOf(clientId).wait([{ address: keys, awaited, aliveMs }], 0)
        return reply ?? null
      }
      case 'pass':
        await this.#server.redis.eval(passLua, 3, ...this.#keyList, step.ms, 0, 0)
        return null
    }
  }

  get #keyList(): string[] {
    const { main, counted, waiters } = this.#keys
    return [main, counted, waiters]
  }

  /** @param runId - of the server: another one may have lost something */
  #latchesOf(clientId: string, runId = ''): RedisLatches {
    return new RedisLatches({
      connection: this.#server,
      calls: nativeLatchCalls,
      servers: { known: () => runId, runId: () => Promise.resolve(runId), isRefused: false },
      inbox: inboxOf(clientId),
      onNoticeError: (error) => {
        throw new Error(error)
      },
    })
  }
}

function noticeIn({ channel, text }: Message): LatchNotice {
  const [notice] = heard(text)
  const generation = Number(text.split(' ')[1])
  const clientId = clientOfInbox(channel)
  if (notice?.[0] === 'opened') return { clientId, kind: 'open', generation }
  if (notice?.[0] === 'missed') return { clientId, kind: 'gone', generation }
  throw new Error(`an unexpected message: ${text}`)
}
