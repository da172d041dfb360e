import { Holdfast } from '@holdfast/core'
import type { LockEngine } from '@holdfast/core/engine'
import { memory } from '../src/index.js'

/** The same store, as if it forgot single holds when it has no room for them. */
const evicting = (engine: LockEngine): LockEngine => ({
  name: engine.name,
  traits: { ...engine.traits, evicts: true },
  open: (host) => engine.open(host),
})

it.each([
  ['is a success', false],
  ['counts as a loss where the store evicts holds', true],
])('a release that is repeated after its reply was lost, and finds nothing, %s', async (_what, evicts) => {
  const store = memory()
  const client = new Holdfast({ engine: evicts ? evicting(store) : store })
  const lost: string[] = []
  client.on('lost', ({ error }) => lost.push(error.reason))
  const lease = await client.getLock('job').lock()
  store.dropNextReply()
  const outcome = await lease.unlock().catch((error: unknown) => error)
  if (evicts) expect(outcome).toMatchObject({ code: 'LOCK_LOST', reason: 'not-held' })
  else expect(outcome).toBeUndefined()
  expect(lost).toEqual(evicts ? ['not-held'] : [])
  await client.close()
})
