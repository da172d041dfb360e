import { countCommands, startCluster, uniqueName } from '@holdfast/testkit'
import calculateSlot from 'cluster-key-slot'
import { closeAfterTest, closeAll, openClient, openRedisClient, useOnce } from './support/clients.js'
import { loadScripts, runsOf } from './support/scripts.js'

afterEach(closeAll)

it('in a Cluster, locks of one slot share a command, and the others follow in the order of their slots', async () => {
  const cluster = await startCluster({ masters: 3 })
  try {
    const { Cluster } = await import('ioredis')
    const template = new Cluster([...cluster.startupNodes], { lazyConnect: true })
    closeAfterTest(async () => {
      template.disconnect()
      await Promise.resolve()
    })
    const holdfast = openClient(template)
    await useOnce(holdfast)
    const tag = `{${uniqueName('slot')}}`
    const names = [`${tag}a`, uniqueName('slot'), `${tag}b`, uniqueName('slot')]
    for (const { url } of cluster.nodes) await loadScripts(openRedisClient(url))
    const multi = holdfast.getMultiLock(names)
    const runs = async (script: Parameters<typeof runsOf>[1]): Promise<number> => {
      let pass: () => Promise<unknown> = () => multi.withLock(() => undefined)
      let counted = 0
      for (const { url } of cluster.nodes) {
        const inner = pass
        pass = async () => {
          const { counts } = await countCommands(url, inner)
          counted += runsOf(counts, script)
        }
      }
      await pass()
      return counted
    }
    expect(await runs('multiAcquire')).toBe(1)
    expect(await runs('lockAcquire')).toBe(2)
    expect(await runs('lockRelease')).toBe(4)
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        holdfast.getMultiLock(i % 2 === 0 ? names : [...names].reverse()).withLock(() => undefined),
      ),
    )
    await multi.withLock(({ names: acquired }) => expect(acquired).toEqual(names))
    expect(new Set(names.map((name) => calculateSlot(`lock:${name}`))).size).toBe(3)
    await holdfast.close()
  } finally {
    await cluster.stop()
  }
})
