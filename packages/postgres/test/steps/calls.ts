import { done, refreshed, type Reply, type Step as ModelStep } from '@holdfast/model'
import type { PostgresAddress } from '../../src/address.js'
import type { Step } from '../../src/step.js'
import { Steps, type Inbox } from '../../src/steps.js'
import { othersOf } from './bystander.js'
import { schema } from './functions.js'

/** For how long a renewal waits for a step that has the row. */
const rowWaitMs = 1_000

const steps = new Steps(schema)

/** The step, with its reply in the words of the model. */
const mapped = <T>(step: Step<T>, map: (reply: T) => Reply): Step<Reply> => ({
  ...step,
  read: (rows) => map(step.read(rows)),
})

/**
 * The call of the function that carries out the step; `undefined` where there is none.
 *
 * @param isInBatch - whether a renewal or refresh has others beside it, which it finds as they are next to the bystander
 */
export function callOf(
  address: PostgresAddress,
  step: ModelStep,
  inbox: Inbox,
  isInBatch = false,
): Step<Reply> | undefined {
  const { held, unknown, absent } = othersOf(address)

  switch (step.kind) {
    case 'acquire':
      return steps.acquire(address, { ...step, wantsToken: true }, inbox, step.tokenFloor)
    case 'release':
      return steps.release(address, step, step.tokenFloor)
    case 'force':
      return steps.force(address, step.owner, inbox.channel, step.tokenFloor)
    case 'resize':
      return steps.resize(address, step, step.tokenFloor)
    case 'renew':
      return isInBatch
        ? mapped(
            steps.renew(
              [
                { ...held, leaseMs: 1 },
                { ...unknown, leaseMs: step.leaseMs },
                { ...step, leaseMs: 1, address },
                { ...step, address },
                { ...absent, leaseMs: step.leaseMs },
              ],
              rowWaitMs,
            ),
            ([first, second, same, kind = 'no-reply', last]) => {
              expectAll(['renewed', 'not-held', kind, 'not-held'], [first, second, same, last])
              return { kind }
            },
          )
        : mapped(steps.renew([{ ...step, address }], rowWaitMs), ([kind = 'no-reply']) => ({ kind }))
    case 'refresh': {
      const { entryTtlMs } = step
      const entries = [held, unknown, { ...step, address }, absent].map((each) => ({ ...each, entryTtlMs }))
      return isInBatch
        ? mapped(steps.refresh(entries, inbox), ([first, second, entry, last]) => {
            const states = [first, second, last].map((each) => each?.state)
            expectAll(['granted', 'missing', 'missing'], states)
            return entry ? refreshed(entry) : done
          })
        : mapped(steps.refresh([{ ...step, address }], inbox), ([entry]) => (entry ? refreshed(entry) : done))
    }
    case 'inspect':
      return steps.inspect(address, step.limit)
    case 'sweep':
      return mapped(steps.sweep(1_000), () => done)
    case 'pass':
    case 'evict':
    case 'subscribe':
    case 'unsubscribe':
      return undefined
  }
}

function expectAll(expected: readonly unknown[], found: readonly unknown[]): void {
  if (String(expected) !== String(found)) throw new Error(`the others of a batch are ${String(found)}`)
}
