import { Controller, Get, Module } from '@nestjs/common'
import { HealthCheckService, TerminusModule, type HealthCheckResult } from '@nestjs/terminus'
import { HoldfastHealthIndicator } from '@holdfast/nestjs'

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
}

@Module({ imports: [TerminusModule], controllers: [HealthController] })
export class HealthModule {}
