import type { Dashboard } from '@holdfast/dashboard'
import { createServer, type Server } from 'node:http'

/** A server of its own, with the dashboard at /ops/locks/. */
export const serveLocks = (dashboard: Dashboard): Server =>
  createServer((request, response) => {
    if (/^\/ops\/locks(?![^/?])/.test(request.url ?? '')) dashboard.node(request, response)
    else response.writeHead(404).end()
  })
