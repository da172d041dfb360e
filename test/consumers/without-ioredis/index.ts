import { Holdfast, InvalidArgumentError } from '@holdfast/core'
import { memory } from '@holdfast/memory'
import { measure } from '@holdfast/metrics'

const counted: string[] = []
const measuring = measure({ record: (name) => counted.push(name), count: () => undefined })
await using holdfast = new Holdfast({ engine: memory() })
const lock = holdfast.getLock('order')
const count = await lock.withLock(() => lock.withLock(({ holdCount }) => holdCount))
measuring.stop()

const refusal = ((): unknown => {
  try {
    return new Holdfast({ redis: 'redis://127.0.0.1:6379' })
  } catch (error) {
    return error
  }
})()
const isRefused = refusal instanceof InvalidArgumentError && refusal.message.includes('install it')
if (count !== 2 || counted.length === 0 || !isRefused) process.exitCode = 1
console.log(`count ${count}, measured ${counted.join(', ')}; a URL: ${String(refusal)}`)
