import type { EngineUnderTest, LinkedClient } from '@holdfast/conformance'
import { Holdfast, type ClientOptions } from '@holdfast/core'
import type { LockEngine, Traits } from '@holdfast/core/engine'
import { sessionQueue } from '@holdfast/session-queue'
import { MemoryLink } from './memory-link.js'
import { MemoryQueues } from './memory-queues.js'
import { MemoryStore } from './memory-store.js'

export const memoryTraits: Traits = {
  fifo: true,
  handOff: 'grant',
  lease: { of: 'session', stepMs: 1, shortestMs: 100, marginMs: 20 },
  fencing: 'while data lives',
  survives: 'nothing',
  force: 'notified',
  commandsPerCycle: { uncontended: 2, contended: 4 },
  kinds: ['shared'],
}

/** The session queue on a store in memory. */
export const memoryQueueEngine = (
  queues: MemoryQueues,
  link = (): MemoryLink => new MemoryLink(),
): LockEngine =>
  sessionQueue({
    name: 'memory-queues',
    traits: memoryTraits,
    open: (host, events) => new MemoryStore(queues, link(), host, events),
  })

export class MemoryUnderTest implements EngineUnderTest {
  readonly name = 'Session queue in memory'
  readonly traits = memoryTraits
  readonly tripsPerStep = 2
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
    const link = new MemoryLink()
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
