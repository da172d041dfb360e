import type { Dashboard } from '@holdfast/dashboard'
import type Koa from 'koa'

/** Before a body parser: it would leave nothing to read. */
export function mountLocks(app: Koa, dashboard: Dashboard): void {
  app.use((context, next) => {
    if (!/^\/ops\/locks(\/|$)/.test(context.path)) return next()
    context.respond = false
    dashboard.node(context.req, context.res)
    return undefined
  })
}
