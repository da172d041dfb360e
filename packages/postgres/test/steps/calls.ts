import { done, refreshed, type Reply, type Step as ModelStep } from '@holdfast/model'
import type { PostgresAddress } from '../../src/address.js'
import type { Step } from '../../src/step.js'
import { Steps, type Inbox } from '../../src/steps.js'
import { schema } from './functions.js'

/** For how long a renewal waits for a step that has the row. */
const rowWaitMs = 1_000

const steps = new Steps(schema)

/** The step, with its reply in the words of the model. */
const mapped = <T>(step: Step<T>, map: (reply: T) => Reply): Step<Reply> => ({
  ...step,
  read: (rows) => map(step.read(rows)),
})

/** The call of the function that carries out the step; `undefined` where there is none. */
export function callOf(address: PostgresAddress, step: ModelStep, inbox: Inbox): Step<Reply> | undefined {
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
      return mapped(steps.renew([{ ...step, address }], rowWaitMs), ([kind = 'no-reply']) => ({ kind }))
    case 'refresh':
      return mapped(steps.refresh([{ ...step, address }], inbox), ([entry]) =>
        entry ? refreshed(entry) : done,
      )
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
