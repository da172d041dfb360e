import { keysWithoutTtl, until } from '@holdfast/testkit'
import { Redis } from 'ioredis'
import { runCycles } from '../src/index.js'
import { channelOf } from './support/channel.js'
import { describeTogether, type InteropContext } from './support/describe-together.js'

interface Heard extends Disposable {
  readonly messages: { channel: string; message: string }[]
}

/** Subscribes like Redisson's clients in this topology; on a single server, to everything that is published there. */
async function listen({ topology, mode, lock }: InteropContext): Promise<Heard> {
  const redis = new Redis((await topology.serverOf(lock)).url)
  const messages: Heard['messages'] = []
  if (mode === 'cluster') {
    redis.on('smessage', (channel: string, message: string) => messages.push({ channel, message }))
    await redis.ssubscribe(channelOf(lock))
  } else {
    redis.on('pmessage', (_: string, channel: string, message: string) => messages.push({ channel, message }))
    await redis.psubscribe('*redisson*')
  }
  return { messages, [Symbol.dispose]: () => redis.disconnect() }
}

describeTogether('what Redisson sees of Holdfast', (context) => {
  it('is a 0 on its channel each time the lock becomes free', async () => {
    const { peer, lock } = context()
    using heard = await listen(context())
    const { messages } = heard
    const [one, two] = [peer('Holdfast').task('one'), peer('Holdfast').task('two')]
    await one.lock(lock)
    await one.lock(lock)
    expect(await two.tryLock(lock, { waitMs: 200 })).toBeNull()
    await one.unlock(lock)
    const entering = two.lock(lock)
    await peer('Holdfast').untilWaiting(1)
    await one.unlock(lock)
    await entering
    expect(await one.forceUnlock(lock)).toBe(true)
    expect(await one.forceUnlock(lock)).toBe(false)
    await one.lock(lock)
    await one.unlock(lock)
    await until(() => messages.length >= 3, {
      what: () => `three messages, received ${JSON.stringify(messages)}`,
    })
    expect(messages).toEqual(Array.from({ length: 3 }, () => ({ channel: channelOf(lock), message: '0' })))
  })

  it('is a key that always has a TTL', async () => {
    const { peer, topology, lock } = context()
    const running = runCycles([peer('Redisson'), peer('Holdfast')], { lock, tasks: 4, limit: 1_000 })
    let isOver = false
    void running.finally(() => (isOver = true))
    const forEver = new Set<string>()
    await until(
      async () => {
        const found = await Promise.all(topology.servers.map(({ url }) => keysWithoutTtl(url, `*${lock}*`)))
        for (const key of found.flat()) forEver.add(key)
        return isOver
      },
      { what: 'the cycles to end', timeoutMs: 50_000 },
    )
    const cycles = (await running).flatMap((part) => part.cycles)
    expect(Math.min(...cycles.map(({ ttlMs }) => ttlMs))).toBeGreaterThan(0)
    // The keys in which the cycles count.
    expect([...forEver].sort()).toEqual([`{${lock}}:inside`, `{${lock}}:made`])
  })
})
