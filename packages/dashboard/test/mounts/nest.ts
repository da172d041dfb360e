import type { Dashboard } from '@holdfast/dashboard'
import type { INestApplication } from '@nestjs/common'

/** Right after `NestFactory.create()`, on Express, as Nest is by default. */
export function mountLocks(app: INestApplication, dashboard: Dashboard): void {
  app.use('/ops/locks', dashboard.node)
}
