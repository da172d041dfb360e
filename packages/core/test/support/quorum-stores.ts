import { memory, type MemoryStore } from '@holdfast/stores/memory'
import { closeAll } from './clients.js'

/** Five masters in memory, new ones for each test, of which nothing may be left. */
export function useStores(): readonly MemoryStore[] {
  const stores: MemoryStore[] = []
  beforeEach(() => void stores.splice(0, stores.length, ...Array.from({ length: 5 }, () => memory())))
  afterEach(async () => {
    await closeAll()
    for (const store of stores) store.reconnect()
    const left = stores.flatMap((store) => store.leaks().filter(({ kind }) => kind !== 'tombstone'))
    expect(left).toEqual([])
  })
  return stores
}
