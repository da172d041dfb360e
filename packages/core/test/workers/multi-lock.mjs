// Many tasks that each acquire random locks together, again and again. Whoever is inside a lock counts itself there.
// Arguments: the URL of Redis, a tag for names, how many locks, tasks and passes of each task.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'

const [url, tag, locks, tasks, passes] = process.argv.slice(2)
const redis = new Redis(url)
const holdfast = new Holdfast({ redis: url })
const names = Array.from({ length: Number(locks) }, (_, i) => `${tag}${i}`)

const pickSome = () => {
  const shuffled = names.map((name) => [Math.random(), name]).sort(([a], [b]) => a - b)
  return shuffled.slice(0, 1 + Math.floor(Math.random() * names.length)).map(([, name]) => name)
}

let intruders = 0
let passed = 0

async function workInside(some) {
  const counters = some.map((name) => `inside:${name}`)
  const counts = await Promise.all(counters.map((counter) => redis.incr(counter)))
  if (counts.some((count) => count !== 1)) intruders++
  await Promise.all(counters.map((counter) => redis.decr(counter)))
}

async function task() {
  for (let i = 0; i < Number(passes); i++) {
    const some = pickSome()
    const roll = Math.random()
    if (roll < 0.2) {
      const lease = await holdfast.getMultiLock(some).tryLock()
      if (lease) await workInside(some)
      await lease?.unlock()
    } else if (roll < 0.3) {
      await holdfast.getLock(some[0]).withLock(() => workInside(some.slice(0, 1)))
    } else {
      await holdfast.getMultiLock(some).withLock(() => workInside(some))
    }
    passed++
  }
}

await Promise.all(Array.from({ length: Number(tasks) }, task))
await holdfast.close()
redis.disconnect()
await tellParent({ type: 'done', passed, intruders })
