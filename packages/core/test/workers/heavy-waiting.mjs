// Many callers on each of several locks; each stays inside for a moment. Arguments, as JSON: how to reach Redis, the task.
import { setTimeout as pause } from 'node:timers/promises'
import { Holdfast } from '@holdfast/core'
import { nowMs, tellParent } from '@holdfast/testkit/process'
import { Cluster, Redis } from 'ioredis'

const [reach, task] = process.argv.slice(2).map((text) => JSON.parse(text))
const template = reach.nodes
  ? new Cluster(reach.nodes, { ...reach.options, lazyConnect: true })
  : new Redis({ ...reach.options, lazyConnect: true })
const holdfast = new Holdfast({ redis: template, watchdogTimeoutMs: task.watchdogTimeoutMs })

/** Whoever is told of a loss leaves at once. */
async function visit(name) {
  const seen = {}
  try {
    await holdfast.getLock(name).withLock(async (lease) => {
      const lost = new Promise((resolve) => lease.signal.addEventListener('abort', resolve))
      seen.enteredAt = nowMs()
      seen.token = lease.fencingToken
      await Promise.race([pause(task.insideMs), lost])
      seen.leftAt = nowMs()
    })
    return { ...seen, name, end: 'done' }
  } catch (error) {
    return { ...seen, name, end: error.code ?? String(error) }
  }
}

let waiting = 0
const callers = task.names.flatMap((name) => Array.from({ length: task.callers }, () => name))
holdfast.on('waiting', () => {
  if (++waiting === callers.length) void tellParent({ type: 'all waiting' })
})
const visits = callers.map(async (name) => {
  const visited = await visit(name)
  void tellParent({ type: 'visited' })
  return visited
})
await tellParent({ type: 'all visited', visits: await Promise.all(visits) })
await holdfast.close()
await tellParent({ type: 'closed' })
process.exit(0)
