import type { ObjectKind } from '@holdfast/core'
import { RefusedRequest } from './http/exchange.js'
import type { EvictionRequest } from './shared/payloads.js'
import { visibleName } from './shared/visible-name.js'
import type { DashboardSource } from './source.js'

const kinds: readonly ObjectKind[] = ['lock', 'read-lock', 'write-lock', 'semaphore']

/** Reads what is to be done from a body, and refuses it unless the name was typed. */
export function readEviction(body: unknown): EvictionRequest {
  const { name, kind, owner, typedName } = (typeof body === 'object' && body !== null ? body : {}) as Partial<
    Record<keyof EvictionRequest, unknown>
  >
  const known = kinds.find((each) => each === kind)
  if (typeof name !== 'string' || typeof owner !== 'string' || typeof typedName !== 'string' || !known) {
    throw new RefusedRequest(
      400,
      `name, owner and typedName must be strings, and kind one of ${kinds.join(', ')}.`,
    )
  }
  // A name with characters that cannot be seen is typed as the page shows it.
  if (typedName !== name && typedName !== visibleName(name)) {
    throw new RefusedRequest(400, 'The typed name is not the name of the lock.')
  }
  return { name, kind: known, owner, typedName }
}

type Objects = Pick<DashboardSource, 'getLock' | 'getReadWriteLock' | 'getSemaphore'>

/** Evicts that owner and no other. Resolves with whether it held the object. */
export function evict(
  objects: Objects,
  { name, kind, owner }: EvictionRequest,
  by: string | null,
): Promise<boolean> {
  const signed = by === null ? {} : { by }
  switch (kind) {
    case 'read-lock':
      return objects.getReadWriteLock(name).read.forceUnlock({ owner, ...signed })
    case 'write-lock':
      return objects.getReadWriteLock(name).write.forceUnlock({ owner, ...signed })
    case 'semaphore':
      return objects.getSemaphore(name, { permits: 1 }).forceRelease(owner, signed)
    default:
      return objects.getLock(name).forceUnlock({ owner, ...signed })
  }
}
