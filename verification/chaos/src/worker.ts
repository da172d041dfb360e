// A process of the chaos run: makes its calls of one schedule after another, with new clients for each.
import { subscribe } from 'node:diagnostics_channel'
import type { ConnectionMessage } from '@holdfast/core'
import { fromParent, openHistory, tellParent, until, watchStalls } from '@holdfast/testkit/process'
import { isCommand, type WorkerCommand } from './worker-commands.js'
import { pickCyclic } from './pick-cyclic.js'
import { CallRunner } from './call-runner.js'
import { openClients } from './open-clients.js'
import { warmUp } from './warm-up.js'
import { holdAtRest } from './rest-hold.js'
import { discard, templateOf } from './template.js'

async function next<T extends WorkerCommand['type']>(type: T) {
  const message = await fromParent(type)
  if (isCommand(type, message)) return message
  throw new Error(`expected the command ${type}`)
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

let write: ((event: { readonly kind: 'disconnected' }) => void) | undefined
// A session may end because the machine is busy, and take the entries of its client along.
subscribe('holdfast:connection', (message) => {
  if ((message as ConnectionMessage).state === 'broken') write?.({ kind: 'disconnected' })
})

for (;;) {
  const { process: name, object, history: file, templates: specs, library, options } = await next('open')
  const openBefore = process.getActiveResourcesInfo()
  const templates = await Promise.all(specs.map((spec) => templateOf(spec, library)))
  const clients = openClients(object, templates, options)
  const history = openHistory(file, name)
  const stopWatching = watchStalls(history.write)
  write = history.write
  // Outages are expected here; each call records its own failure.
  for (const client of clients) client.on('error', () => undefined)
  await warmUp(clients, templates)
  const runner = new CallRunner(name, object, clients, history.write)
  await tellParent({ type: 'opened' })

  const { plan, locks: names, startAtMs } = await next('run')
  await runner.run(plan, names, startAtMs)
  await tellParent({ type: 'finished' })

  const { lock, count } = await next('hold')
  const hold =
    lock === null ? null : await holdAtRest(pickCyclic(clients, lock), object, pickCyclic(names, lock), count)
  await tellParent({ type: 'held', owner: hold?.owner ?? null, atClient: hold?.atClient ?? 0 })

  await next('end')
  write = undefined
  const isHeld = hold?.isHeld() ?? false
  // A machine that stalls may cost the reply to a release. What is really left is looked for afterwards.
  await hold?.leave().catch(() => undefined)
  await Promise.all(clients.map((client) => client.close()))
  templates.forEach(discard)
  stopWatching()
  history.close()
  await tellParent({ type: 'ended', isHeld, open: await openBeyond(openBefore) })
}
