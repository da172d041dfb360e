// A process that delays what goes through it to Redis and back, so that those who are measured do not do it themselves.
import { fromParent, startProxy, tellParent } from '@holdfast/testkit'

const { host, port, delayMs } = await fromParent('open')
const proxy = await startProxy({ host: String(host), port: Number(port) })
proxy.delay(Number(delayMs))
await tellParent({ type: 'opened', url: proxy.url })
