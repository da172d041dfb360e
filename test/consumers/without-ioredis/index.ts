import { Holdfast, InvalidArgumentError } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import { mysql } from '@holdfast/stores/mysql'
import { postgres } from '@holdfast/stores/postgres'
import { measure } from '@holdfast/core/metrics'

const counted: string[] = []
const measuring = measure({ record: (name) => counted.push(name), count: () => undefined })
await using holdfast = new Holdfast({ engine: memory() })
const lock = holdfast.getLock('order')
const count = await lock.withLock(() => lock.withLock(({ holdCount }) => holdCount))
measuring.stop()

const refusalOf = (make: () => unknown): unknown => {
  try {
    return make()
  } catch (error) {
    return error
  }
}
const refusals = [
  [refusalOf(() => new Holdfast({ redis: 'redis://127.0.0.1:6379' })), 'install it'],
  [refusalOf(() => postgres({ url: 'postgres://127.0.0.1/app' })), 'npm install pg'],
  [refusalOf(() => mysql({ url: 'mysql://127.0.0.1/app' })), 'npm install mysql2'],
] as const
const areRefused = refusals.every(
  ([refusal, words]) => refusal instanceof InvalidArgumentError && refusal.message.includes(words),
)
if (count !== 2 || counted.length === 0 || !areRefused) process.exitCode = 1
console.log(
  `count ${count}, measured ${counted.join(', ')}; without a driver: ${refusals.map(([refusal]) => refusal).join('; ')}`,
)
