import type { Dashboard } from '@holdfast/dashboard'
import type { FastifyInstance } from 'fastify'

/** Fastify has read the body by then, so it is handed over. */
export function mountLocks(app: FastifyInstance, dashboard: Dashboard): void {
  for (const path of ['/ops/locks', '/ops/locks/*']) {
    app.all(path, (request, reply) => {
      reply.hijack()
      dashboard.node(Object.assign(request.raw, { body: request.body }), reply.raw)
    })
  }
}
