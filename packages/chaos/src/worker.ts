// A process of the chaos run: makes its calls of one schedule after another, with new clients for each.
import { Holdfast, type Lease, type Lock } from '@holdfast/core'
import { fromParent, openHistory, tellParent, until, watchStalls } from '@holdfast/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import { isCommand, type WorkerCommand } from './worker-commands.js'
import { pickCyclic } from './pick-cyclic.js'
import { CallRunner } from './call-runner.js'
import { templateOf } from './template.js'

async function next<T extends WorkerCommand['type']>(type: T) {
  const message = await fromParent(type)
  if (isCommand(type, message)) return message
  throw new Error(`expected the command ${type}`)
}

/** Enters a lock `count` times, for the comparison of counts. */
async function enter(lock: Lock, count: number): Promise<Lease[]> {
  const outer = await lockAfterFaults(lock)
  const leases = [outer]
  while (leases.length < count) leases.push(await outer.run(() => lock.lock()))
  return leases
}

/** Longer than a busy machine stalls: no hold must be lost while counts are compared. */
const countLeaseMs = 60_000

/** A connection that the last fault refused may fail once more. */
async function lockAfterFaults(lock: Lock): Promise<Lease> {
  for (let attemptsLeft = 100; ; attemptsLeft -= 1) {
    try {
      return await lock.lock({ leaseMs: countLeaseMs })
    } catch (error) {
      if (attemptsLeft === 0) throw error
      await sleep(50)
    }
  }
}

/** The kinds of resources that keep the process running, beyond those open before. Closing takes a moment. */
async function openBeyond(before: readonly string[]): Promise<string[]> {
  const more = () => {
    const known = [...before]
    return process.getActiveResourcesInfo().filter((kind) => {
      const at = known.indexOf(kind)
      if (at !== -1) known.splice(at, 1)
      return at === -1
    })
  }
  await until(() => more().length === 0, { what: 'all resources to be closed', timeoutMs: 1_000 }).catch(
    () => undefined,
  )
  return more()
}

for (;;) {
  const { process: name, history: file, templates, options } = await next('open')
  const openBefore = process.getActiveResourcesInfo()
  const redises = templates.map(templateOf)
  const clients = redises.map((redis) => new Holdfast({ ...options, redis }))
  const history = openHistory(file, name)
  const stopWatching = watchStalls(history.write)
  // Outages are expected here; each call records its own failure.
  for (const client of clients) client.on('error', () => undefined)
  const runner = new CallRunner(name, clients, history.write)
  await tellParent({ type: 'opened' })

  const { calls, locks: names, startAtMs } = await next('run')
  await runner.run(calls, names, startAtMs)
  await tellParent({ type: 'finished' })

  const { lock, count } = await next('hold')
  const leases =
    lock === null ? [] : await enter(pickCyclic(clients, lock).getLock(pickCyclic(names, lock)), count)
  await tellParent({ type: 'held', owner: leases[0]?.owner ?? null, atClient: leases[0]?.holdCount ?? 0 })

  await next('end')
  for (const lease of leases.reverse()) await lease.unlock()
  await Promise.all(clients.map((client) => client.close()))
  for (const redis of redises) redis.disconnect()
  stopWatching()
  history.close()
  await tellParent({ type: 'ended', open: await openBeyond(openBefore) })
}
