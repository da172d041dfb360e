import { lockKind } from '../reference/lock-kind.js'
import { MemoryStore } from '../reference/memory-store.js'
import type { Ran } from '../step-store.js'
import type { Step } from '../step.js'
import { explore } from './explored.js'
import { ownersOf } from './shape.js'

const bounds = { owners: 2, faults: 1, nesting: 0 }
const inMemory = () => new MemoryStore(lockKind(), { owners: ownersOf(bounds) })

class Changed extends MemoryStore<ReturnType<ReturnType<typeof lockKind>['make']>> {
  readonly #change: (step: Step, ran: Ran) => Ran

  constructor(change: (step: Step, ran: Ran) => Ran) {
    super(lockKind(), { owners: ownersOf(bounds) })
    this.#change = change
  }

  override async run(step: Step): Promise<Ran> {
    return this.#change(step, await super.run(step))
  }
}

it('what holds for a store holds for a reference that does the same', async () => {
  await expect(explore(inMemory(), bounds, inMemory())).resolves.toMatchObject({ violation: null })
})

it('a reference that breaks a promise is found', async () => {
  const silent = new Changed((_, ran) => ({ ...ran, notices: [] }))
  const { violation } = await explore(inMemory(), bounds, silent)
  expect(violation).toMatchObject({ promise: 'handOff' })
})

it('a reference that breaks none is found, too, if it does something else', async () => {
  const polite = new Changed(({ kind }, ran) =>
    kind === 'release' ? { ...ran, reply: { kind: 'released' } } : ran,
  )
  const { violation } = await explore(inMemory(), bounds, polite)
  expect(violation).toMatchObject({
    promise: 'sameness',
    detail: expect.stringMatching(/^not-held.* instead of released/) as string,
  })
})
