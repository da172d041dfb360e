import type { Dashboard } from '@holdfast/cli/dashboard'
import type { Hono } from 'hono'

/** On Node.js, Bun and Deno. */
export function mountLocks(app: Hono, dashboard: Dashboard): void {
  app.all('/ops/locks/*', (context) => dashboard.fetch(context.req.raw))
}
