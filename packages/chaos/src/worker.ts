// A process of the chaos run: plays its part of one schedule after the other, each with a client of its own.
import { Holdfast, type Lease, type Lock } from '@holdfast/core'
import { fromParent, openHistory, tellParent, until, watchStalls } from '@holdfast/testkit'
import { setTimeout as passed } from 'node:timers/promises'
import { isOrder, type Order } from './orders.js'
import { pick } from './pick.js'
import { Player } from './player.js'
import { templateOf } from './template.js'

async function next<T extends Order['type']>(type: T) {
  const message = await fromParent(type)
  if (isOrder(type, message)) return message
  throw new Error(`expected the order ${type}`)
}

/** Enters a lock so many times, for the comparison of counts. */
async function take(lock: Lock, count: number): Promise<Lease[]> {
  const outer = await lockAfterFaults(lock)
  const leases = [outer]
  while (leases.length < count) leases.push(await outer.run(() => lock.lock()))
  return leases
}

/** Longer than a busy machine may stand still: nothing is to be lost while counts are compared. */
const restLeaseMs = 60_000

/** A connection that was refused in the last fault may say so once more. */
async function lockAfterFaults(lock: Lock): Promise<Lease> {
  for (let patience = 100; ; patience -= 1) {
    try {
      return await lock.lock({ leaseMs: restLeaseMs })
    } catch (error) {
      if (patience === 0) throw error
      await passed(50)
    }
  }
}

/** What keeps the process running, by kind, beyond what did before. Closing takes a moment. */
async function openBeyond(before: readonly string[]): Promise<string[]> {
  const more = () => {
    const known = [...before]
    return process.getActiveResourcesInfo().filter((kind) => {
      const at = known.indexOf(kind)
      if (at !== -1) known.splice(at, 1)
      return at === -1
    })
  }
  await until(() => more().length === 0, { what: 'all to be closed', timeoutMs: 1_000 }).catch(
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
  // Outages are what this is about; whoever is refused writes it down.
  for (const client of clients) client.on('error', () => undefined)
  const player = new Player(name, clients, history.write)
  await tellParent({ type: 'opened' })

  const { calls, locks: names, startAtMs } = await next('play')
  await player.play(calls, names, startAtMs)
  await tellParent({ type: 'played' })

  const { lock, count } = await next('take')
  const leases = lock === null ? [] : await take(pick(clients, lock).getLock(pick(names, lock)), count)
  await tellParent({ type: 'taken', owner: leases[0]?.owner ?? null, atClient: leases[0]?.holdCount ?? 0 })

  await next('end')
  for (const lease of leases.reverse()) await lease.unlock()
  await Promise.all(clients.map((client) => client.close()))
  for (const redis of redises) redis.disconnect()
  stopWatching()
  history.close()
  await tellParent({ type: 'ended', open: await openBeyond(openBefore) })
}
