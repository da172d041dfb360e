import assert from 'node:assert/strict'
import type { Server } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { Controller, Get, Injectable, type OnModuleDestroy } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Holdfast, type Lease } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { currentLease, getHoldfastToken, HoldfastModule, InjectHoldfast, WithLock } from '@holdfast/nestjs'
import { holdfastIn, moduleOf, silent, withContext, withHttp } from './boot.js'
import { Gate } from './busy.js'
import { scenario } from './scenario.js'

scenario(
  'a request in flight when the application closes ends with 200 under its lock; then the client closes',
  async () => {
    const [entered, gate] = [new Gate(), new Gate()]

    @Controller()
    class Slow {
      @Get()
      @WithLock('slow')
      async get(): Promise<string> {
        entered.open()
        await gate.opened
        currentLease().assertHeld()
        return 'done'
      }
    }

    await withHttp({ imports: [holdfastIn()], controllers: [Slow] }, async (url, app) => {
      const holdfast = app.get<Holdfast>(getHoldfastToken())
      const request = fetch(url, { headers: { connection: 'close' } })
      await entered.opened
      const closing = app.close()
      // By then all hooks that come before the end of the server have run.
      const server = app.getHttpServer() as Server
      while (server.listening) await turn()
      gate.open()
      const response = await request
      assert.deepEqual([response.status, await response.text()], [200, 'done'])
      await closing
      assert.equal(holdfast.stats().holds, 0)
      await assert.rejects(holdfast.getLock('late').lock(), { code: 'CLOSED' })
    })
  },
)

scenario('a provider can still lock in onModuleDestroy', async () => {
  const engine = memory()

  @Injectable()
  class Counter implements OnModuleDestroy {
    flushed = false

    @WithLock('flush')
    async flush(): Promise<void> {
      currentLease().assertHeld()
      this.flushed = true
      await Promise.resolve()
    }

    async onModuleDestroy(): Promise<void> {
      await this.flush()
    }
  }

  let counter: Counter | undefined
  await withContext({ imports: [holdfastIn(engine)], providers: [Counter] }, (app) => {
    counter = app.get(Counter)
    return Promise.resolve()
  })
  assert.equal(counter?.flushed, true)
})

@Injectable()
class Background {
  lease: Lease | undefined

  constructor(@InjectHoldfast() readonly holdfast: Holdfast) {}

  async begin(): Promise<Lease> {
    return (this.lease = await this.holdfast.getLock('background').lock())
  }
}

scenario('holders get drainMs to release, and lose their holds after it', async () => {
  for (const [drainMs, releases] of [
    [60_000, true],
    [30, false],
  ] as const) {
    const module = HoldfastModule.forRoot({ engine: memory(), drainMs })
    const app = await NestFactory.createApplicationContext(
      moduleOf({ imports: [module], providers: [Background] }),
      silent,
    )
    const lease = await app.get(Background).begin()
    const closing = app.close()
    // The client is closing as soon as it refuses new locks.
    const { holdfast } = app.get(Background)
    while (
      await holdfast
        .getLock('probe')
        .tryLock()
        .then(
          (probe) => probe?.unlock().then(() => true),
          () => false,
        )
    );
    assert.equal(lease.isHeld, true)
    if (releases) await lease.unlock()
    await closing
    assert.equal(lease.signal.aborted, !releases)
  }
})

scenario('with locks in memory, which end with the process, no shutdown hooks are missed', async () => {
  const logged: unknown[] = []
  const log = (message: unknown): void => {
    logged.push(message)
  }
  const logger = { log, warn: log, error: log }
  const app = await NestFactory.createApplicationContext(
    moduleOf({ imports: [holdfastIn()], providers: [Background] }),
    { logger },
  )
  assert.equal(process.listenerCount('SIGTERM'), 0)
  logged.length = 0
  await (await app.get(Background).begin()).unlock()
  await app.close()
  assert.deepEqual(logged, [])
})
