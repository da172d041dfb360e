import type { LockState } from '@holdfast/stores/documents/steps'
import { nothing, type Contents } from '../contents.js'
import { lockKind } from '../reference/lock-kind.js'
import { realMachine, type Machine } from '../reference/machine.js'
import { MemoryStore } from '../reference/memory-store.js'
import { done } from '../step.js'
import type { StepStore } from '../step-store.js'
import { lockNames, type LocksStep, type RanOnLocks } from './locks-step.js'

/** Several locks of the reference. */
export class MemoryLocks implements StepStore<LocksStep, readonly Contents[], RanOnLocks> {
  readonly #machine: Machine
  readonly #locks: readonly MemoryStore<LockState>[]

  constructor(machine: Machine = realMachine) {
    this.#machine = machine
    this.#locks = lockNames.map(() => new MemoryStore(lockKind(machine)))
  }

  async run(step: LocksStep): Promise<RanOnLocks> {
    switch (step.kind) {
      case 'acquire many': {
        const locks = step.locks.map(({ lock, owner }) => ({
          address: { name: lock, id: lock, group: '' },
          owner,
        }))
        const reply = this.#machine.acquireMany({ ...step, locks }, (id, act) => this.#lock(id).take(act))
        return { reply, notices: [] }
      }
      case 'one':
        return this.#lock(step.lock).run(step.step)
      case 'pass':
        await Promise.all(this.#locks.map((lock) => lock.run(step)))
        return { reply: done, notices: [] }
    }
  }

  read(): Promise<readonly Contents[]> {
    return Promise.all(this.#locks.map((lock) => lock.read()))
  }

  async restore(contents: readonly Contents[]): Promise<void> {
    await Promise.all(this.#locks.map((lock, i) => lock.restore(contents[i] ?? nothing)))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  #lock(name: string): MemoryStore<LockState> {
    const lock = this.#locks[lockNames.findIndex((each) => each === name)]
    if (!lock) throw new Error(`there is no lock ${name}`)
    return lock
  }
}
