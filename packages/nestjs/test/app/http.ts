import assert from 'node:assert/strict'
import { Controller, Get, Param, SetMetadata, UseFilters, type ArgumentsHost } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { FastifyAdapter } from '@nestjs/platform-fastify'
import { HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus'
import { LockLostError, LockTimeoutError, UnavailableError, type Holdfast } from '@holdfast/core'
import {
  currentLease,
  getHoldfastToken,
  HoldfastExceptionFilter,
  HoldfastHealthIndicator,
  WithLock,
} from '@holdfast/nestjs'
import { firstValueFrom } from 'rxjs'
import { holdfastIn, withHttp } from './boot.js'
import { Gate } from './busy.js'
import { scenario } from './scenario.js'

const appFilter = { provide: APP_FILTER, useClass: HoldfastExceptionFilter }

@Controller('orders')
class OrdersController {
  readonly entered = new Gate()
  readonly gate = new Gate()

  @WithLock('order:{0}', { waitMs: 0 })
  @Get(':id/above')
  @SetMetadata('mark', 1)
  async above(@Param('id') id: string): Promise<string> {
    return Promise.resolve(`${id} in ${currentLease().name}`)
  }

  @Get(':id/below')
  @WithLock('order:{0}', { waitMs: 0 })
  async below(@Param('id') id: string): Promise<string> {
    return Promise.resolve(`${id} in ${currentLease().name}`)
  }

  @Get(':id/slow')
  @WithLock('order:{0}')
  async slow(@Param('id') id: string): Promise<string> {
    this.entered.open()
    await this.gate.opened
    return id
  }

  @Get(':id/locked')
  @UseFilters(new HoldfastExceptionFilter({ busyStatus: 423 }))
  @WithLock('order:{0}', { waitMs: 0 })
  async locked(@Param('id') id: string): Promise<string> {
    return Promise.resolve(id)
  }

  @Get('lost')
  lost(): never {
    throw new LockLostError('lost', { reason: 'expired' })
  }

  @Get('away')
  away(): never {
    throw new UnavailableError('secret.internal does not reply')
  }
}

for (const platform of ['express', 'fastify'] as const) {
  const adapter = () => (platform === 'fastify' ? new FastifyAdapter() : undefined)

  scenario(`on ${platform}, a decorator above or below a route keeps the route`, () =>
    withHttp(
      { imports: [holdfastIn()], controllers: [OrdersController] },
      async (url) => {
        for (const order of ['above', 'below'])
          assert.equal(await (await fetch(`${url}/orders/7/${order}`)).text(), '7 in order:7')
        assert.equal(Reflect.getMetadata('mark', OrdersController.prototype.above), 1)
      },
      adapter(),
    ),
  )

  scenario(
    `on ${platform}, the filter responds with 409, with 423, or with 503, and leaves other errors alone`,
    () =>
      withHttp(
        { imports: [holdfastIn()], controllers: [OrdersController], providers: [appFilter] },
        async (url, app) => {
          const { entered, gate } = app.get(OrdersController)
          const slow = fetch(`${url}/orders/7/slow`)
          await entered.opened
          const busy = await fetch(`${url}/orders/7/below`)
          assert.deepEqual(await busy.json(), {
            statusCode: 409,
            error: 'Conflict',
            code: 'LOCK_TIMEOUT',
            message: 'The resource is in use. Try again later.',
          })
          assert.deepEqual([busy.status, (await fetch(`${url}/orders/7/locked`)).status], [409, 423])
          gate.open()
          assert.equal(await (await slow).text(), '7')
          assert.equal((await fetch(`${url}/orders/lost`)).status, 500)
          const away = await fetch(`${url}/orders/away`)
          assert.equal(away.status, 503)
          assert.doesNotMatch(await away.text(), /secret/)
          await app.get<Holdfast>(getHoldfastToken()).close()
          assert.equal((await fetch(`${url}/orders/7/below`)).status, 503)
        },
        adapter(),
      ),
  )
}

scenario(
  'the filter replies to messages, rethrows elsewhere, ends a response that has begun, and knows two busy statuses',
  async () => {
    const filter = new HoldfastExceptionFilter()
    const error = new LockTimeoutError('busy', { holder: undefined, position: undefined, waitedMs: 0 })
    const hostOf = (type: string, response: object = {}): ArgumentsHost => {
      const host: Partial<Record<keyof ArgumentsHost, unknown>> = {
        getType: () => type,
        switchToHttp: () => ({ getResponse: () => response }),
      }
      return host as ArgumentsHost
    }
    for (const type of ['ws', 'graphql']) assert.throws(() => filter.catch(error, hostOf(type)), error)
    const reply = filter.catch(error, hostOf('rpc'))
    assert(reply)
    await assert.rejects(firstValueFrom(reply), (sent) => {
      assert.deepEqual(sent, {
        status: 'error',
        code: 'LOCK_TIMEOUT',
        message: 'The resource is in use. Try again later.',
      })
      return true
    })
    let ended = 0
    const end = (): number => (ended += 1)
    filter.catch(error, hostOf('http', { headersSent: true, end }))
    filter.catch(error, hostOf('http', { raw: { headersSent: true, end } }))
    assert.equal(ended, 2)
    assert.throws(
      () => Reflect.construct(HoldfastExceptionFilter, [{ busyStatus: 400 }]),
      /must be 409 or 423, got 400/,
    )
  },
)

@Controller('health')
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly holdfast: HoldfastHealthIndicator,
  ) {}

  @Get()
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.holdfast.pingCheck('locks')])
  }

  @Get('unknown')
  unknown(): Promise<HealthCheckResult> {
    return this.health.check([() => this.holdfast.pingCheck('locks', 'unknown')])
  }
}

scenario('the health check is 200 while the store replies, and 503 once the client is closed', () =>
  withHttp(
    { imports: [holdfastIn(), TerminusModule.forRoot({ logger: false })], controllers: [HealthController] },
    async (url, app) => {
      const up = await fetch(`${url}/health`)
      assert.equal(up.status, 200)
      assert.deepEqual(((await up.json()) as HealthCheckResult).info, { locks: { status: 'up' } })
      assert.equal((await fetch(`${url}/health/unknown`)).status, 500)
      await app.get<Holdfast>(getHoldfastToken()).close()
      const down = await fetch(`${url}/health`)
      assert.equal(down.status, 503)
      const { error } = (await down.json()) as HealthCheckResult
      assert.deepEqual(error, { locks: { status: 'down', message: 'the Holdfast client is closed' } })
    },
  ),
)
