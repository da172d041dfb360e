// How do I lock a method of a Nest service, across all instances?
import type { DynamicModule } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { Holdfast } from '@holdfast/core'
import { getHoldfastToken, HoldfastModule } from '@holdfast/nestjs'
import { HealthModule } from './nestjs/health.js'
import { OrdersModule } from './nestjs/orders.js'
import { runLocalExample, type LockStore } from './support/run-local-example.js'

class ShopModule {}

const appOn = (store: LockStore): DynamicModule => ({
  module: ShopModule,
  imports: [HoldfastModule.forRoot({ ...store, drainMs: 1_000 }), OrdersModule, HealthModule],
})

await runLocalExample('nestjs', async (store) => {
  // In a deployment these are two processes. There, call app.enableShutdownHooks() as well.
  const instances = await Promise.all(
    [1, 2].map(async () => {
      const app = await NestFactory.create(appOn(store), { logger: false })
      await app.listen(0, '127.0.0.1')
      return { app, url: await app.getUrl(), holdfast: app.get<Holdfast>(getHoldfastToken()) }
    }),
  )
  const post = async (path: string): Promise<string> => {
    const replies = instances.map(async ({ url }) => {
      const response = await fetch(`${url}/orders/${path}`, { method: 'POST' })
      return `  ${response.status} ${await response.text()}`
    })
    return (await Promise.all(replies)).join('\n')
  }

  console.log(`Both instances ship order 7, one after the other:\n${await post('7/ship')}`)

  const [first] = instances
  await first?.holdfast.getLock('order:8').withLock(async () => {
    console.log(`An order that is in use cannot be cancelled:\n${await post('8/cancel')}`)
  })

  console.log(`One instance sends the report:\n${await post('report')}`)

  const health = await fetch(`${first?.url}/health`)
  console.log(`A health check: ${health.status}`)

  const inFlight = instances.map(({ holdfast }) => acquiringOrWaiting(holdfast))
  const last = post('9/ship')
  await Promise.all(inFlight)
  await Promise.all(instances.map(({ app }) => app.close()))
  console.log(`Requests in flight end before an instance stops:\n${await last}`)
})

function acquiringOrWaiting(holdfast: Holdfast): Promise<unknown> {
  return new Promise((resolve) => {
    holdfast.once('acquired', resolve).once('waiting', resolve)
  })
}
