import {
  compareAll,
  comparedOwners,
  compareLatches,
  compareLocks,
  handedOver,
  handedOverWithFault,
  lockKind,
  lockSequence,
  MemoryStore,
  ownersOf,
  pair,
  pairWithFault,
  resized,
  sharedKind,
  sharedSequence,
  three,
  threeWithFault,
  trio,
  two,
  twoWithFault,
  type Bounds,
} from '@holdfast/model'
import { comparing, exploring, type Killer } from '@holdfast/mutants'
import { scripts, type ScriptName } from '../../src/redis/scripts/generated.js'
import type { RedisKind } from '../steps/redis-kind.js'
import { latchScripts, RedisLatch } from '../steps/redis-latch.js'
import { redisLock } from '../steps/redis-lock.js'
import { multiScripts, RedisLocks } from '../steps/redis-locks.js'
import { redisShared } from '../steps/redis-shared.js'
import { RedisStore } from '../steps/redis-store.js'
import type { Lua } from '../steps/server.js'

const seed = 1
const few = { runs: 100, seed }
const many = { runs: 600, seed }

export const luaOfTexts = (texts: ReadonlyMap<string, string>, names: readonly ScriptName[]): Lua =>
  new Map(names.map((name) => [name, texts.get(name) ?? scripts[name].lua]))

/** What may find a mistake in these scripts, of which those in `changed` have it. */
export function redisKillers(
  url: string,
  texts: ReadonlyMap<string, string>,
  changed: (name: ScriptName) => boolean,
): Killer[] {
  const killers: Killer[] = []
  const luaOf = (names: readonly ScriptName[]): Lua => luaOfTexts(texts, names)
  const open = (kind: RedisKind) => (bounds: Bounds) =>
    RedisStore.open(url, kind, ownersOf(bounds), luaOf(kind.scripts))
  const openCompared = (kind: RedisKind) => RedisStore.open(url, kind, comparedOwners, luaOf(kind.scripts))

  if (redisLock.scripts.some(changed)) {
    const compare = async (extent: typeof few): Promise<void> => {
      const reference = () => new MemoryStore(lockKind())
      const store = await openCompared(redisLock)
      await compareAll({ store, reference, keepsQueueLonger: true }, lockSequence, extent)
    }
    const explored = (name: string, bounds: Bounds) => exploring(name, bounds, open(redisLock))
    killers.push(
      comparing('compare locks', () => compare(few)),
      comparing('compare more locks', () => compare(many)),
      explored('two', two),
      explored('twoWithFault', twoWithFault),
      explored('three', three),
      explored('handedOver', handedOver),
      explored('handedOverWithFault', handedOverWithFault),
      explored('two, forced', { ...twoWithFault, forces: 1 }),
      explored('threeWithFault', threeWithFault),
    )
  }
  if (redisShared.scripts.some(changed)) {
    const compare = async (extent: typeof few): Promise<void> => {
      const reference = () => new MemoryStore(sharedKind())
      const store = await openCompared(redisShared)
      const comparison = { store, reference, keepsQueueLonger: true, missesEnds: true }
      await compareAll(comparison, sharedSequence, extent)
    }
    const explored = (name: string, bounds: Bounds) => exploring(name, bounds, open(redisShared))
    killers.push(
      comparing('compare shared', () => compare(few)),
      comparing('compare more shared', () => compare(many)),
      explored('pair', pair),
      explored('pairWithFault', pairWithFault),
      explored('trio', trio),
      explored('resized', resized),
    )
  }
  if (latchScripts.some(changed)) {
    const compare = async (runs: number): Promise<void> =>
      compareLatches(await RedisLatch.open(url, luaOf(latchScripts)), { runs, seed, tolerance: 0.05 })
    killers.push(
      comparing('compare latches', () => compare(few.runs)),
      comparing('compare more latches', () => compare(1_000)),
    )
  }
  if (changed('multiAcquire')) {
    const compare = async (extent: typeof few): Promise<void> =>
      compareLocks(await RedisLocks.open(url, luaOf(multiScripts)), extent)
    killers.push(
      comparing('compare multi locks', () => compare(few)),
      comparing('compare more multi locks', () => compare(many)),
    )
  }
  return killers
}
