import { Holdfast } from '@holdfast/core'
import {
  processExists,
  sharedRedisUrl,
  startProxy,
  uniqueName,
  until,
  type FaultProxy,
} from '@holdfast/testkit'
import { Cli } from './support/cli.js'
import { lastBeat, testCommand, untilBeating } from './support/command.js'
import { guardOf } from './support/guard.js'

// Each case takes a lease. HOLDFAST_CLI_ROUNDS=20 runs as many of the first kind.
const rounds = Number(process.env['HOLDFAST_CLI_ROUNDS'] || 5)
const atOnce = 5
const shortLeaseMs = 6_000
const timeoutMs = 120_000

const url = new URL(sharedRedisUrl())
const rival = new Holdfast({ redis: sharedRedisUrl() })
let link: FaultProxy

beforeAll(async () => {
  link = await startProxy({ host: url.hostname, port: Number(url.port) })
})
afterEach(() => link.heal())
afterAll(async () => {
  await rival.close()
  await link.close()
})

interface Running {
  readonly name: string
  readonly runner: Cli
  readonly file: string
  readonly pid: number
}

async function start(traits: readonly string[], viaLink: boolean, leaseMs = shortLeaseMs): Promise<Running> {
  const name = uniqueName('in-time')
  const { words, file } = await testCommand(...traits)
  const options = viaLink ? { url: `redis://${link.host}:${link.port}` } : {}
  const runner = new Cli(['run', '--lease', `${leaseMs}ms`, name, '--', ...words], options)
  await untilBeating(file)
  const [, pid] = await runner.untilStdout(/^started (\d+)/m)
  return { name, runner, file, pid: Number(pid) }
}

/** When the store let the rival in, by the clock of the wall: the fencing token says so exactly. */
async function rivalEnters(name: string): Promise<number> {
  const lease = await rival.getLock(name).lock()
  const enteredAt = lease.fencingToken / 1_000
  await lease.unlock()
  return enteredAt
}

/** By how much the command, and all that it started, was dead before the rival was in. */
async function leadMs({ name, file, pid }: Running): Promise<number> {
  const enteredAt = await rivalEnters(name)
  expect(await processExists(pid)).toBe(false)
  expect(lastBeat(file)).toBeGreaterThan(0)
  return enteredAt - Math.max(lastBeat(file), lastBeat(`${file}.descendant`))
}

it(
  `with its link black-holed a command is dead before the rival is in, ${rounds} times of ${rounds}`,
  async () => {
    const leads: number[] = []
    for (let done = 0; done < rounds; done += atOnce) {
      const count = Math.min(atOnce, rounds - done)
      // Some heed SIGTERM; others, or only what they started, ignore it and have to be killed.
      const kinds = [['ignore-term', 'with-descendant'], ['with-descendant'], []]
      const running = await Promise.all(
        [...Array(count).keys()].map((i) => start(kinds[i % kinds.length] ?? [], true)),
      )
      link.blackHole('both')
      leads.push(...(await Promise.all(running.map(leadMs))))
      for (const { code, stderr } of await Promise.all(running.map(({ runner }) => runner.ended()))) {
        expect(stderr).toContain('was not renewed in time')
        expect(code).toBe(79)
      }
      link.heal()
    }
    if (process.env['HOLDFAST_CLI_ROUNDS']) console.log(leads.map(Math.round).join(' '), 'ms')
    expect(Math.min(...leads)).toBeGreaterThan(0)
  },
  timeoutMs,
)

it.each([
  { ignores: 'SIGTERM', traits: ['ignore-term', 'with-descendant'], isKilled: true },
  { ignores: 'nothing', traits: [], isKilled: false },
])(
  'a command that ignores $ignores and whose runner is frozen is dead before the rival is in',
  async ({ traits, isKilled }) => {
    const running = await start(traits, false)
    running.runner.kill('SIGSTOP')
    expect(await leadMs(running)).toBeGreaterThan(0)
    running.runner.kill('SIGCONT')
    const { code, stderr } = await running.runner.ended()
    expect(stderr.includes('did not end in time and was killed')).toBe(isKilled)
    expect(code).toBe(79)
  },
  timeoutMs,
)

it.each([
  ['that heeds SIGTERM', []],
  ['that ignores SIGTERM', ['ignore-term', 'with-descendant']],
])(
  'a command %s ends when its runner is killed, and the lock is free when the lease ends',
  async (_, traits) => {
    const running = await start(traits, false)
    const killedAt = Date.now()
    running.runner.kill('SIGKILL')
    const enteredAt = await rivalEnters(running.name)
    expect(
      enteredAt - Math.max(lastBeat(running.file), lastBeat(`${running.file}.descendant`)),
    ).toBeGreaterThan(0)
    // The lease was renewed before that, and the rival may be late to look.
    expect(enteredAt - killedAt).toBeLessThanOrEqual(shortLeaseMs + 3_000)
    expect(await processExists(running.pid)).toBe(false)
  },
  timeoutMs,
)

it(
  'a command ends when its guard is killed',
  async () => {
    const { runner } = await start([], false)
    process.kill(guardOf(runner.pid), 'SIGKILL')
    const { code, stderr } = await runner.ended()
    expect(stderr).toContain('the guard of the command ended; stopping the command')
    expect(code).toBe(79)
  },
  timeoutMs,
)

it(
  'a command does not start when its guard was killed during the wait',
  async () => {
    const name = uniqueName('in-time')
    const lease = await rival.getLock(name).lock()
    const waiting = new Cli(['run', name, '--', 'echo', 'ran'])
    await waiting.untilStderr(/waiting for lock/)
    const guard = await until(() => guardOf(waiting.pid))
    process.kill(guard, 'SIGKILL')
    await until(() => isReaped(guard))
    await lease.unlock()
    const { code, stdout, stderr } = await waiting.ended()
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' })
    expect(stderr).toContain('the guard of the command failed: it ended with SIGKILL')
    await until(async () => !(await rival.getLock(name).isLocked()))
  },
  timeoutMs,
)

it(
  'a command whose guard is killed after SIGTERM is dead before the rival is in',
  async () => {
    // The grace is 2.5 s, of which the plan leaves 0.8 s when the guard is killed.
    const running = await start(['ignore-term', 'with-descendant'], true, 15_000)
    const guard = guardOf(running.runner.pid)
    link.blackHole('both')
    await running.runner.untilStdout(/SIGTERM/)
    const stoppedAt = Date.now()
    await until(() => Date.now() > stoppedAt + 700)
    if (await processExists(guard)) process.kill(guard, 'SIGKILL')
    expect(await leadMs(running)).toBeGreaterThan(0)
    expect((await running.runner.ended()).code).toBe(79)
  },
  timeoutMs,
)

it(
  'no guard is left behind',
  async () => {
    const { runner } = await start([], false)
    const guard = guardOf(runner.pid)
    runner.kill('SIGTERM')
    await runner.ended()
    await until(async () => !(await processExists(guard)))
  },
  timeoutMs,
)

/** Whether its parent knows that it has ended. */
function isReaped(pid: number): boolean {
  try {
    return !process.kill(pid, 0)
  } catch {
    return true
  }
}
