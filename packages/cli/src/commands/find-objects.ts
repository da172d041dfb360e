import {
  isHoldfastError,
  type Holdfast,
  type HoldfastError,
  type LatchInfo,
  type LockInfo,
  type ObjectType,
  type SemaphoreInfo,
} from '@holdfast/core'
import { say } from '../output/terminal.js'
import { withoutObject } from './outages.js'

/** What an operator may know of a semaphore: how many permits it has in all only its users know. */
export type SemaphoreView = Omit<SemaphoreInfo, 'permits' | 'available'>

/** What has a name, and who holds it and waits. */
export type Found =
  | { readonly object: 'lock' | 'read-write-lock'; readonly info: LockInfo }
  | { readonly object: 'semaphore'; readonly info: SemaphoreView }
  | { readonly object: 'latch'; readonly info: LatchInfo }

type Objects = Pick<
  Holdfast,
  'getLock' | 'getReadWriteLock' | 'getSemaphore' | 'getCountDownLatch' | 'traits'
>

/** The kinds of objects, in the order in which they are looked for. */
export const objectTypes = ['lock', 'read-write-lock', 'semaphore', 'latch'] as const

/** Reads one object. */
export async function readObject(holdfast: Objects, name: string, object: ObjectType): Promise<Found> {
  switch (object) {
    case 'lock':
      return { object, info: await holdfast.getLock(name).inspect() }
    case 'read-write-lock':
      return { object, info: await holdfast.getReadWriteLock(name).read.inspect() }
    case 'semaphore': {
      const {
        permits: _permits,
        available: _available,
        ...info
      } = await holdfast.getSemaphore(name, { permits: 1 }).inspect()
      return { object, info }
    }
    case 'latch':
      return { object, info: await holdfast.getCountDownLatch(name).inspect() }
  }
}

/** All objects of a name that are in use. If there is none, the lock, which may be free, or rejected. */
export async function findObjects(holdfast: Objects, name: string): Promise<Found[]> {
  const { kinds = [] } = holdfast.traits
  const others = objectTypes.filter(
    (type) => type !== 'lock' && kinds.includes(type === 'latch' ? 'latch' : 'shared'),
  )
  const lock = readObject(holdfast, name, 'lock')
  const readings = others.map((type) => [type, readObject(holdfast, name, type)] as const)
  const rejected = new Map<ObjectType, HoldfastError>()
  const read = async ([type, reading]: readonly [ObjectType, Promise<Found>]): Promise<Found | null> => {
    try {
      return await reading
    } catch (error) {
      // A user of Redis may be allowed some objects only, and data of another kind may be under the key of one.
      if (!isHoldfastError(error) || (error.code !== 'REFUSED' && error.code !== 'NOT_A_LOCK')) throw error
      if (error.code === 'REFUSED') rejected.set(type, error)
      return null
    }
  }
  try {
    const found = await Promise.all([['lock', lock] as const, ...readings].map(read))
    const inUse = found.filter((each) => each !== null).filter(isInUse)
    const shown = inUse.length > 0 ? inUse : [await lock]
    for (const [type, { message }] of rejected) sayOnce(`${type} ${name} is left out: ${message}`)
    return shown
  } catch (error) {
    throw withoutObject(error)
  }
}

/** With `--every` it looks again and again. */
const said = new Set<string>()

function sayOnce(sentence: string): void {
  if (!said.has(sentence)) say(sentence)
  said.add(sentence)
}

const isInUse = ({ object, info }: Found): boolean =>
  (object === 'latch' ? info.isSet : info.holderCount > 0) || info.waiterCount > 0
