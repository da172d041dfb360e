// A container that is frozen between invocations, and now and then within one. Environment: REDIS_URL.
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { connect, makeHandler } from '../../../dist/cookbook/lambda.js'

async function ship(orderId, lease) {
  await tellParent({ type: 'shipping', token: lease.fencingToken })
  await fromParent('finish')
  await tellParent({ type: 'shipped', isHeld: lease.isHeld, token: lease.fencingToken })
  lease.assertHeld()
  return `parcel of ${orderId}`
}

const handler = makeHandler(connect(process.env.REDIS_URL), ship)
await tellParent({ type: 'ready' })
for (;;) {
  const { orderId, timeoutMs } = await fromParent('invoke')
  const response = await handler({ orderId }, { getRemainingTimeInMillis: () => timeoutMs }).then(
    (parcel) => ({ parcel }),
    (error) => ({ error: error.code }),
  )
  await tellParent({ type: 'response', ...response })
}
