import { clientOf } from '@holdfast/core/engine'
import type { ClientInfo, ObjectKind } from '@holdfast/core'
import type { Owner, Process } from '../shared/payloads.js'
import type { ObjectType } from '../shared/views.js'

export const processOf = (clientId: string, client: ClientInfo | null | undefined): Process => ({
  clientId,
  host: client?.host ?? '',
  pid: client?.pid ?? 0,
  label: client?.label ?? '',
})

export const ownerWith = (owner: string, client: ClientInfo | null | undefined): Owner => ({
  owner,
  process: processOf(clientOf(owner), client),
})

const objectsByKind: Readonly<Record<ObjectKind, ObjectType>> = {
  lock: 'lock',
  'read-lock': 'read-write-lock',
  'write-lock': 'read-write-lock',
  semaphore: 'semaphore',
  latch: 'latch',
}

export const objectOf = (kind: ObjectKind): ObjectType => objectsByKind[kind]
