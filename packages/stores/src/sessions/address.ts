import type { Address, Addressing, ObjectType } from '@holdfast/core/engine'
import type { Queue } from './store.js'

/** An object, whose queue has its name and type. */
export interface QueueAddress extends Address, Queue {}

const separator = ':'

/** Of the object with this queue. */
export const idOf = ({ name, object }: Queue): string => `${object}${separator}${name}`

const locate = (name: string, object: ObjectType): QueueAddress => ({
  name,
  object,
  id: idOf({ name, object }),
  group: '',
})

const types: readonly string[] = ['lock', 'read-write-lock', 'semaphore', 'latch'] satisfies ObjectType[]
const isType = (text: string): text is ObjectType => types.includes(text)

/** From names to queues, and back. */
export interface QueueAddressing extends Addressing {
  locate(name: string, object: ObjectType): QueueAddress
}

export const addressing: QueueAddressing = {
  locate,
  resolve(id) {
    const at = id.indexOf(separator)
    const object = id.slice(0, at)
    return isType(object) ? locate(id.slice(at + 1), object) : null
  },
}
