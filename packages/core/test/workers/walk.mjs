// Follows one uncontended withLock and one grant through the compiled files, and prints which ones they pass.
import { Session } from 'node:inspector/promises'
import { register } from 'node:module'
import { Socket } from 'node:net'

// What is published is bundled, and has no files to tell apart.
const hooks = `export const resolve = (name, context, next) =>
  next(name.replace(/^@holdfast\\/(\\w+)$/, ${JSON.stringify(new URL('../../../', import.meta.url).href)} + '$1/build/index.js'), context)`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
const { Holdfast } = await import('@holdfast/core')

const [, , url, name] = process.argv
Error.stackTraceLimit = 200

/** So that nothing is due by time while a call is followed. */
const options = { redis: url, watchdogTimeoutMs: 600_000 }
const [a, b] = [new Holdfast(options), new Holdfast(options)]
const [lock, other] = [a.getLock(name), b.getLock(name)]

/** As the page writes them. */
const written = (path) =>
  path
    .replace(/^.*packages\/core\/build\//, '')
    .replace(/^.*packages\/(\w+)\/build\//, 'packages/$1/src/')
    .replace(/\.js$/, '.ts')

/** Those on the stack now, of the outermost calls first. */
const filesNow = () =>
  [...new Error().stack.matchAll(/(\/\S+\/packages\/\w+\/build\/[\w./-]+\.js)/g)]
    .map(([, path]) => written(path))
    .reverse()

let seen = new Set()
let scripts = []
const note = (files) => files.forEach((file) => seen.add(file))

const { write } = Socket.prototype
Socket.prototype.write = function (...given) {
  const ran = String(given[0]).includes('evalsha') ? scripts.shift() : undefined
  if (ran) note([...filesNow(), ...ran])
  return write.apply(this, given)
}

/** The event comes of the hold, and the files after it are those of events. */
function onAcquired() {
  const files = filesNow()
  note(files.slice(0, files.indexOf('events/observer.ts')))
}

/** What `run` passes on its way, each script taking over at a write to the socket. */
async function follow(holdfast, takingOver, run) {
  seen = new Set()
  scripts = takingOver
  holdfast.on('acquired', onAcquired)
  await run()
  holdfast.off('acquired', onAcquired)
  return [...seen]
}

async function everythingThatRuns(run) {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true })
  await run()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  inspector.disconnect()
  const wasCalled = ({ functionName, ranges }) => functionName !== '' && ranges[0].count > 0
  return result
    .filter(({ url: file, functions }) => /packages\/\w+\/build\//.test(file) && functions.some(wasCalled))
    .map(({ url: file }) => written(file))
}

for (const each of [lock, other, lock]) await each.withLock(() => undefined)
const call = await follow(a, [['lua/lock/acquire.lua'], ['lua/lock/release.lua']], () =>
  lock.withLock(() => note(filesNow())),
)
const ran = await everythingThatRuns(() => lock.withLock(() => undefined))
const held = await lock.lock()
const queued = new Promise((resolve) => b.on('waiting', resolve))
const waiting = other.lock()
await queued
const grant = await follow(b, [['lua/lock/release.lua', 'lua/lock/includes/grant.lua']], async () => {
  await held.unlock()
  await (await waiting).unlock()
})
await Promise.all([a.close(), b.close()])
process.stdout.write(JSON.stringify({ call, grant, ran }))
