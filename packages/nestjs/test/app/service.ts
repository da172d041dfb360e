// A small service on Redis, for tests of several processes, signals and outages. Run as: node service.js URL FOLDER [option …]
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ConsoleLogger, Controller, Get, Injectable, Module, Param } from '@nestjs/common'
import { APP_FILTER, NestFactory } from '@nestjs/core'
import { Interval, ScheduleModule } from '@nestjs/schedule'
import { HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus'
import type { Lock } from '@holdfast/core'
import {
  HoldfastExceptionFilter,
  HoldfastHealthIndicator,
  HoldfastModule,
  InjectLock,
  WithLock,
} from '@holdfast/nestjs'

const [, , redis = '', folder = '', ...options] = process.argv
const is = (option: string): boolean => options.includes(option)

let files = 0
/** Leaves word for the test. */
const note = (what: string): void => writeFileSync(join(folder, `${what}-${process.pid}-${(files += 1)}`), '')

/** Stays in a place that has room for one, on this machine. */
async function stay(): Promise<void> {
  const place = join(folder, 'place')
  try {
    mkdirSync(place)
  } catch {
    note('collision')
    return
  }
  await delay(8)
  rmdirSync(place)
  note('stay')
}

@Injectable()
class Ticker {
  @Interval(10)
  @WithLock('tick', { ifBusy: 'skip' })
  async tick(): Promise<void> {
    await stay()
  }
}

@Injectable()
class UnlockedTicker {
  @Interval(10)
  async tick(): Promise<void> {
    await stay()
  }
}

@Controller()
class ServiceController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly holdfast: HoldfastHealthIndicator,
    @InjectLock('nightly') private readonly nightly: Lock,
  ) {}

  @Get('health')
  check(): Promise<HealthCheckResult> {
    return this.health.check([() => this.holdfast.pingCheck('locks')])
  }

  @Get('orders/:id')
  @WithLock('order:{0}', { waitMs: 500 })
  async order(@Param('id') id: string): Promise<string> {
    return Promise.resolve(id)
  }

  @Get('hold')
  async hold(): Promise<string> {
    return (await this.nightly.lock()).owner
  }
}

const tickers = is('ticks') ? [Ticker] : is('unlocked') ? [UnlockedTicker] : []

@Module({
  imports: [
    HoldfastModule.forRoot({ redis, commandTimeoutMs: 500, locks: ['nightly'] }),
    ScheduleModule.forRoot(),
    TerminusModule.forRoot({ logger: false }),
  ],
  controllers: [ServiceController],
  providers: [{ provide: APP_FILTER, useClass: HoldfastExceptionFilter }, ...tickers],
})
class ServiceModule {}

async function main(): Promise<void> {
  const app = await NestFactory.create(ServiceModule, {
    logger: new ConsoleLogger({ logLevels: ['warn', 'error'], colors: false }),
  })
  await app.listen(0, '127.0.0.1')
  // As late as an application may do it.
  if (is('hooks')) app.enableShutdownHooks()
  console.log(await app.getUrl())
}

void main()
