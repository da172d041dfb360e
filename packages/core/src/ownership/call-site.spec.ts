import { nextTick } from 'node:process'
import { callSite, framesOf, type CallSite } from './turns.js'

/** Has its site made after that wait, in one function of "this package". */
async function ours(wait: () => Promise<unknown>): Promise<CallSite> {
  await wait()
  return callSite(1)
}

describe.each([
  ['a tick', () => new Promise<void>(nextTick)],
  ['an event', () => new Promise<void>((resolve) => setImmediate(resolve))],
])('the first frame of a call that %s ends', (_, wait) =>
  it('is the caller’s', async () => {
    async function caller(): Promise<CallSite> {
      return await ours(wait)
    }
    expect(framesOf(await caller())[0]).toMatch(/caller.*call-site\.spec/)
  }),
)
