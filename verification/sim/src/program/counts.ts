import { semaphoreSize, sizeOf, type ChaosClient, type ObjectName } from '@holdfast/chaos/process'
import { HoldfastQuorum } from '@holdfast/core'

/** How often each owner has entered, or how many permits it has, as the store tells everybody. */
export async function countsOf(
  client: ChaosClient,
  object: ObjectName,
  name: string,
): Promise<ReadonlyMap<string, number>> {
  if (client instanceof HoldfastQuorum) return new Map()
  if (object === 'semaphore') {
    const { holders } = await client.getSemaphore(name, { permits: semaphoreSize }).inspect()
    return new Map(holders.map(({ owner, permits }) => [owner, permits]))
  }
  if (object === 'read-write-lock') {
    const { holders } = await client.getReadWriteLock(name).write.inspect()
    const countOf = (kind: string): number => (kind === 'read-lock' ? 1 : sizeOf[object])
    return new Map(holders.map(({ owner, kind }) => [owner, countOf(kind)]))
  }
  const { holders } = await client.getLock(name).inspect()
  return new Map(holders.map(({ owner, holdCount }) => [owner, holdCount]))
}
