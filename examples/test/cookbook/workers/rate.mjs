// A process that calls an API within limits. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { awaitTurn, mayProceed, oneAtATime } from '../../../dist/cookbook/rate.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL })
holdfast.on('waiting', () => void tellParent({ type: 'waiting' }))

async function serve(type, act) {
  for (;;) void act(await fromParent(type))
}

void serve('call', ({ customer }) =>
  oneAtATime(holdfast, customer, async () => {
    await tellParent({ type: 'began', customer })
    await fromParent('finish')
    await tellParent({ type: 'ended', customer })
  }),
)
void serve('may proceed', async ({ customer, periodMs }) => {
  const allowed = await mayProceed(holdfast, customer, periodMs)
  await tellParent({ type: 'answer', allowed })
})
void serve('await turn', async ({ customer, periodMs }) => {
  await awaitTurn(holdfast, customer, periodMs)
  await tellParent({ type: 'turn' })
})
void serve('exit', async () => {
  await holdfast.close()
  process.exit()
})
await tellParent({ type: 'ready' })
