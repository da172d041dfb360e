import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { sharedRedisUrl, uniqueName } from '@holdfast/testkit'

const run = promisify(execFile)

interface Seen {
  readonly leaks: readonly { name: string; kind: string; reason: string; stack: string; code?: string }[]
  readonly states: readonly boolean[]
  readonly refusal: string
}

/** Drops leases in the manner of a thread, collects them, and prints what was said of it. */
const program = (name: string, setUp: string): string => `
  import { Holdfast } from '@holdfast/core'
  import { once } from 'node:events'
  const holdfast = new Holdfast({ redis: '${sharedRedisUrl()}', watchdogTimeoutMs: 3_000 })
  const leaks = []
  let said
  const reported = new Promise((resolve) => (said = resolve))
  ${setUp}
  const lock = holdfast.getLock('${name}')
  const kept = await holdfast.getLock('${name}:kept').lock()
  const { signal } = await holdfast.getLock('${name}:signal').lock({ leaseMs: 60_000 })
  async function dropIt() { await lock.lock() }
  await dropIt()
  const collecting = setInterval(globalThis.gc, 20)
  await reported
  clearInterval(collecting)
  const refusal = await lock.unlock().catch(({ message }) => message)
  await holdfast.getLock('${name}:signal').forceUnlock()
  if (!signal.aborted) await once(signal, 'abort')
  console.log(JSON.stringify({ leaks, states: [await lock.isLocked(), kept.isHeld], refusal }))
  await holdfast.close()
`

async function runCollecting(program: string): Promise<Seen> {
  const args = ['--expose-gc', '--input-type=module', '-e', program]
  const { stdout } = await run(process.execPath, args, { cwd: `${__dirname}/..`, timeout: 30_000 })
  return JSON.parse(stdout) as Seen
}

it('a lease that nobody keeps is reported with where it was acquired, and stays held; kept ones and signals are not touched', async () => {
  const name = uniqueName('dropped')
  const { leaks, states, refusal } = await runCollecting(
    program(name, `holdfast.on('leaked', (event) => said(leaks.push(event)))`),
  )
  expect(leaks).toMatchObject([{ name, kind: 'lock', reason: 'lease-dropped' }])
  expect(leaks[0]?.stack).toMatch(/^\s*at dropIt /)
  expect(states).toEqual([true, true])
  expect(refusal).toMatch(
    /keep the lease and release that: .* or use withLock\(fn\)\. A lease that was not kept stays held/,
  )
})

it('without a listener, the process warns once, and says how to find it', async () => {
  const name = uniqueName('dropped')
  const { leaks } = await runCollecting(
    program(name, `process.on('warning', ({ code, message: stack }) => said(leaks.push({ code, stack })))`),
  )
  expect(leaks).toHaveLength(1)
  expect(leaks[0]).toMatchObject({ code: 'HOLDFAST_LEAKED' })
  expect(leaks[0]?.stack).toContain(`lock ${name} (owner `)
  expect(leaks[0]?.stack).toContain("listen to the client's 'leaked' event")
})
