import {
  InvalidArgumentError,
  shown,
  type Address,
  type Addressing,
  type ObjectType,
} from '@holdfast/core/engine'

/** Whose document it is, and what that is. */
export interface DocumentAddress {
  readonly object: string
  readonly name: string
  /** Tells it from others of the same kind. */
  readonly id: string
}

/** Where an object lives in a store, and which steps it has. */
export interface ObjectAddress extends Address {
  readonly object: ObjectType
  readonly kind: 'lock' | 'shared' | 'latch'
}

/** A lock's id is its name. Those of other objects have what names rarely have. */
const suffixOf = (object: ObjectType): string => (object === 'lock' ? '' : `\0${object}`)
const others = ['read-write-lock', 'semaphore', 'latch'] as const

const kindOf: Record<ObjectType, ObjectAddress['kind']> = {
  lock: 'lock',
  'read-write-lock': 'shared',
  semaphore: 'shared',
  latch: 'latch',
}

/** @throws `InvalidArgumentError` for a name that ends like the id of another object */
export function addressOf(name: string, object: ObjectType): ObjectAddress {
  const given: unknown = name
  if (typeof given !== 'string') {
    throw new InvalidArgumentError(`name must be a string, as given to getLock, got ${shown(given)}`)
  }
  if (!Object.hasOwn(kindOf, object)) {
    const types = Object.keys(kindOf).join(', ')
    throw new InvalidArgumentError(`object must be one of ${types}, got ${shown(object)}`)
  }
  if (others.some((other) => name.endsWith(suffixOf(other)))) {
    throw new InvalidArgumentError('name must not end in a NUL and the type of an object', { lockName: name })
  }
  const kind = kindOf[object]
  return { name, object, id: name + suffixOf(object), kind, group: kind === 'lock' ? '' : kind }
}

/** The name and the type of the object with this id. */
export function objectOf(id: string): { readonly name: string; readonly object: ObjectType } {
  const object = others.find((other) => id.endsWith(suffixOf(other))) ?? 'lock'
  return { name: object === 'lock' ? id : id.slice(0, -suffixOf(object).length), object }
}

/** In the store. */
export const keyOf = ({ object, name }: Pick<DocumentAddress, 'object' | 'name'>): string =>
  `${object}:${name}`

/** `undefined`: the document with this key is not that of an object. */
export function addressOfKey(key: string): ObjectAddress | undefined {
  const [object] = /^[a-z-]+(?=:)/.exec(key) ?? []
  if (!isObjectType(object)) return undefined
  const name = key.slice(object.length + 1)
  return others.some((other) => name.endsWith(suffixOf(other))) ? undefined : addressOf(name, object)
}

const isObjectType = (object: string | undefined): object is ObjectType =>
  object !== undefined && Object.hasOwn(kindOf, object)

export const addressing: Addressing = {
  locate: addressOf,
  resolve(id) {
    const { name, object } = objectOf(id)
    return addressOf(name, object)
  },
}
