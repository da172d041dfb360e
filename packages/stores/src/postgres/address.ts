import type { Address, Addressing, ObjectType } from '@holdfast/core/engine'

/** Where an object lives, and which functions it has. */
export interface PostgresAddress extends Address {
  readonly kind: 'lock' | 'shared' | 'latch'
}

/** PostgreSQL's text holds no NUL, and no half of a surrogate pair. The backslash marks what stands for them. */
const unsafe = /[\\\0]|\p{Surrogate}/gu

const encode = (name: string): string =>
  name.replace(unsafe, (found) => {
    if (found === '\\') return '\\\\'
    return found === '\0' ? '\\0' : `\\u${found.charCodeAt(0).toString(16)}`
  })

const decode = (id: string): string =>
  id.replace(/\\(\\|0|u([0-9a-f]{4}))/g, (_, found: string, code?: string) => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16))
    return found === '0' ? '\0' : '\\'
  })

/** A lock's id is its name. Those of other objects begin with what no encoded name begins with. */
const prefixes = { 'read-write-lock': '\\rw ', semaphore: '\\semaphore ', latch: '\\latch ' } as const
const others = ['read-write-lock', 'semaphore', 'latch'] as const

const kindOf = { lock: 'lock', 'read-write-lock': 'shared', semaphore: 'shared', latch: 'latch' } as const

/** The address of an object; its id is its name as the tables have it. */
export function addressOf(name: string, object: ObjectType): PostgresAddress {
  const kind = kindOf[object]
  const prefix = object === 'lock' ? '' : prefixes[object]
  return { name, id: prefix + encode(name), group: kind === 'lock' ? '' : kind, kind }
}

export const objectOfId = (id: string): ObjectType =>
  others.find((other) => id.startsWith(prefixes[other])) ?? 'lock'

export function addressOfId(id: string): PostgresAddress {
  const object = objectOfId(id)
  const prefix = object === 'lock' ? '' : prefixes[object]
  return addressOf(decode(id.slice(prefix.length)), object)
}

export const addressing: Addressing = { locate: addressOf, resolve: addressOfId }
