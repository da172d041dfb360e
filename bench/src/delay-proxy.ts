// A process that delays the traffic to Redis and back, so that the delay costs the measured processes nothing.
import { constants, setPriority } from 'node:os'
import { fromParent, startProxy, tellParent } from '@holdfast/testkit'

const { host, port, delayMs } = await fromParent('open')
const proxy = await startProxy({ host: String(host), port: Number(port) })
proxy.delay(Number(delayMs), { isExact: true })
// It polls the clock in a busy loop, on the core of Redis, which must take precedence.
setPriority(constants.priority.PRIORITY_LOW)
await tellParent({ type: 'opened', url: proxy.url })
