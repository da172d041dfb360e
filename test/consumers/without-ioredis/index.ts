import { Holdfast, InvalidArgumentError } from '@holdfast/core'
import { memory } from '@holdfast/memory'

await using holdfast = new Holdfast({ engine: memory() })
const lock = holdfast.getLock('order')
const count = await lock.withLock(() => lock.withLock(({ holdCount }) => holdCount))

const refusal = ((): unknown => {
  try {
    return new Holdfast({ redis: 'redis://127.0.0.1:6379' })
  } catch (error) {
    return error
  }
})()
const isRefused = refusal instanceof InvalidArgumentError && refusal.message.includes('install it')
if (count !== 2 || !isRefused) process.exitCode = 1
console.log(`count ${count}; a URL: ${String(refusal)}`)
