import type { Addressing } from '../../engine/addressing.js'
import type { ObjectType } from '../../engine/requests.js'
import { InvalidArgumentError } from '../../errors/errors.js'
import type { Keys, KeySpace } from '../keys.js'
import { choiceOfForms } from './options.js'

export interface RedissonAddressingOptions {
  readonly keySpace: KeySpace
  readonly isCluster: boolean
  readonly hasSemaphores: boolean
}

/** Refuses what Redisson's clients could not have, too. */
export class RedissonAddressing implements Addressing {
  readonly #options: RedissonAddressingOptions

  constructor(options: RedissonAddressingOptions) {
    this.#options = options
  }

  /** Redisson's clients put a latch and its channel into different slots if the name has braces, which a Cluster refuses. */
  locate(name: string, object: ObjectType): Keys {
    const { keySpace, isCluster, hasSemaphores } = this.#options
    const keys = keySpace.locate(name, object)
    if (object === 'semaphore' && !hasSemaphores) {
      throw new InvalidArgumentError(
        `which semaphore of Redisson ${name} is must be said where the engine is made: redisson({ redis, semaphores: ${choiceOfForms} })`,
        { lockName: name },
      )
    }
    if (object === 'latch' && isCluster && keys.main.includes('{')) {
      throw new InvalidArgumentError(
        `a latch that is shared with Redisson must not have braces in its name in a Cluster: ${name}`,
        { lockName: name },
      )
    }
    return keys
  }

  resolve(id: string): Keys | null {
    return this.#options.keySpace.resolve(id)
  }
}
