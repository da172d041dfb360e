import type { Dashboard } from '@holdfast/cli/dashboard'
import type { Express } from 'express'

/** Behind or before a body parser: both work. */
export function mountLocks(app: Express, dashboard: Dashboard): void {
  app.use('/ops/locks', dashboard.node)
}
