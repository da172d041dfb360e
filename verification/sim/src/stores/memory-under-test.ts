import { InProcessLink, type EngineUnderTest, type LinkedClient } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { sessionQueue } from '@holdfast/stores/sessions'
import { MemoryQueues } from './memory-queues.js'
import { MemoryStore, queueTraits } from './memory-store.js'

/** A turn of the event loop each way. */
export const newLink = (): InProcessLink =>
  new InProcessLink('memory-queues', 1, {
    travel: () => new Promise((resolve) => setImmediate(resolve)),
    atOnce: (_, run) => run(),
  })

/** The session queue on a store in memory. */
export const memoryQueueEngine = (queues: MemoryQueues, link = newLink): LockEngine =>
  sessionQueue({
    name: 'memory-queues',
    traits: queueTraits,
    open: (host, events) => new MemoryStore(queues, link(), host, events),
  })

export class MemoryUnderTest implements EngineUnderTest {
  readonly name = 'Session queue in memory'
  readonly traits = queueTraits
  readonly tripsPerStep = 2
  readonly isExact = true
  readonly #queues = new MemoryQueues()

  start = (): Promise<void> => Promise.resolve()
  stop = (): Promise<void> => Promise.resolve()

  open(options: ClientOptions = {}): Holdfast {
    return new Holdfast({ ...options, engine: this.engine() })
  }

  engine(): LockEngine {
    return memoryQueueEngine(this.#queues)
  }

  openLinked(options: ClientOptions = {}): Promise<LinkedClient> {
    const link = newLink()
    const engine = memoryQueueEngine(this.#queues, () => link)
    return Promise.resolve({ holdfast: new Holdfast({ ...options, engine }), link })
  }

  wipe(): Promise<void> {
    this.#queues.wipe()
    return Promise.resolve()
  }

  commandCount(): Promise<number> {
    return Promise.resolve(this.#queues.commands)
  }
}
