// A web server whose only job runs under a lock. Environment: REDIS_URL, DRAIN_MS, IGNORE_SIGNAL (the lease's).
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { closeOnSignals } from '../../../dist/cookbook/graceful-shutdown.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL })
holdfast.on('waiting', () => void tellParent({ type: 'waiting' }))

async function print({ signal }) {
  await tellParent({ type: 'began' })
  const endings = [fromParent('finish')]
  if (!process.env.IGNORE_SIGNAL) endings.push(once(signal, 'abort').then(() => signal.throwIfAborted()))
  await Promise.race(endings)
}

const server = createServer((_, response) => {
  holdfast
    .getLock('report')
    .withLock(print)
    .then(
      () => response.end('printed'),
      (error) => response.writeHead(503).end(error.code),
    )
})
closeOnSignals(holdfast, server, Number(process.env.DRAIN_MS ?? 10_000))
server.listen(0, '127.0.0.1', () => void tellParent({ type: 'ready', port: server.address().port }))
