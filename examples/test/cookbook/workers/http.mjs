// One instance of a web application. Environment: REDIS_URL, FRAMEWORK, WAIT_MS.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { serve } from '@hono/node-server'
import { once } from 'node:events'
import { addShipping } from '../../../dist/cookbook/http-express.js'
import { makeFastifyApp } from '../../../dist/cookbook/http-fastify.js'
import { makeHonoApp } from '../../../dist/cookbook/http-web.js'

const { REDIS_URL, FRAMEWORK, WAIT_MS } = process.env
const holdfast = new Holdfast({ redis: REDIS_URL })
holdfast.on('waiting', ({ name }) => void tellParent({ type: 'waiting', name }))

async function ship(id) {
  await tellParent({ type: 'began', id })
  await fromParent('finish')
  return `parcel of ${id}`
}

async function listen() {
  if (FRAMEWORK.startsWith('express')) {
    const { default: express } = await (FRAMEWORK === 'express4' ? import('express4') : import('express'))
    const app = express()
    addShipping(app, holdfast, ship, Number(WAIT_MS))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return server.address().port
  }
  if (FRAMEWORK === 'hono') {
    const { fetch } = makeHonoApp(holdfast, ship, Number(WAIT_MS))
    return new Promise((resolve) =>
      serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
    )
  }
  const app = makeFastifyApp(holdfast, ship, Number(WAIT_MS))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server.address().port
}

await tellParent({ type: 'ready', port: await listen() })
