import type { Address, ObjectType } from './requests.js'

/** From names to where objects live, and back. Does no I/O. */
export interface Addressing {
  /**
   * The address of the lock of this name, or of another object that the engine's traits promise. The core has checked that the
   * name is a string of 1 to 1,024 bytes.
   *
   * @throws `InvalidArgumentError` for a name that the store cannot take
   */
  locate(name: string, object: ObjectType): Address
  /** The address with this id, for a notification that no waiter here expects; `null` for an id that is not one of this session's. */
  resolve(id: string): Address | null
}
