import { setTimeout as delay } from 'node:timers/promises'
import { Controller, Injectable, Module, Param, Post } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { currentLease, HoldfastExceptionFilter, WithLock } from '@holdfast/nestjs'

@Injectable()
export class Orders {
  @WithLock('order:{0}', { waitMs: 2_000 })
  async ship(id: string): Promise<string> {
    const lease = currentLease()
    await delay(50, undefined, { signal: lease.signal })
    lease.assertHeld()
    return `shipped ${id} under token ${lease.fencingToken}`
  }

  // The same lock: a call inside ship would re-enter.
  @WithLock('order:{0}', { waitMs: 0 })
  async cancel(id: string): Promise<string> {
    return Promise.resolve(`cancelled ${id}`)
  }

  @WithLock('report', { ifBusy: 'skip' })
  async report(): Promise<string | undefined> {
    await delay(300)
    return 'sent the report'
  }
}

@Controller('orders')
class OrdersController {
  constructor(private readonly orders: Orders) {}

  @Post('report')
  async report(): Promise<string> {
    return (await this.orders.report()) ?? 'skipped: another instance sends it'
  }

  @Post(':id/ship')
  ship(@Param('id') id: string): Promise<string> {
    return this.orders.ship(id)
  }

  @Post(':id/cancel')
  cancel(@Param('id') id: string): Promise<string> {
    return this.orders.cancel(id)
  }
}

@Module({
  controllers: [OrdersController],
  providers: [Orders, { provide: APP_FILTER, useClass: HoldfastExceptionFilter }],
})
export class OrdersModule {}
