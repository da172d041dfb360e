// A process that delays what goes through it to Redis and back, so that those who are measured do not do it themselves.
import { constants, setPriority } from 'node:os'
import { fromParent, startProxy, tellParent } from '@holdfast/testkit'

const { host, port, delayMs } = await fromParent('open')
const proxy = await startProxy({ host: String(host), port: Number(port) })
proxy.delay(Number(delayMs), { isExact: true })
// It looks at the clock all the time, on the core of Redis: that one comes first.
setPriority(constants.priority.PRIORITY_LOW)
await tellParent({ type: 'opened', url: proxy.url })
