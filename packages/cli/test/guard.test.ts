import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { guardPid, skippedIf, uniqueName, until } from '@holdfast/testkit'
import { processesWith } from '../src/run/process-table.js'
import { forwarded } from '../src/run/signals.js'
import { machineMs } from '../src/run/stop-plan.js'
import { startGuard, type TestGuard } from './support/guard.js'

const isRoot = process.getuid?.() === 0
const nobody = 65_534
// Elsewhere the guard cannot read the environment of other processes; docs/production/inspecting.md says so.
const onLinux = skippedIf(process.platform !== 'linux' && 'promised on Linux only', it)

const asRoot = skippedIf(!isRoot && 'takes root', it)

const started: ChildProcess[] = []

afterEach(() => {
  for (const command of started.splice(0)) command.kill('SIGKILL')
})

/** A process group that ignores SIGTERM. */
async function stubbornCommand(): Promise<ChildProcess> {
  const command = spawn('sh', ['-c', 'trap "" TERM; echo ready; while :; do sleep 1; done'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  started.push(command)
  const { pid = -1 } = command
  command.once('exit', guardPid(pid))
  await once(command.stdout, 'data')
  return command
}

describe('a command whose process the guard does not know yet', () => {
  async function startCommand(): Promise<{ guard: TestGuard; ended: Promise<unknown> }> {
    const owner = uniqueName('owner')
    const command = spawn('sleep', ['60'], { env: { ...process.env, HOLDFAST_OWNER: owner } })
    started.push(command)
    command.once('exit', guardPid(command.pid ?? -1))
    const ended = once(command, 'exit')
    const guard = await startGuard()
    const now = machineMs()
    guard.send({ type: 'until', plan: { termAt: now + 500, killAt: now + 1_000 }, graceMs: 500 })
    guard.send({ type: 'starting', owner })
    return { guard, ended }
  }

  onLinux('is killed when its runner is killed', async () => {
    const { guard, ended } = await startCommand()
    guard.runnerGone()
    expect(await ended).toEqual([null, 'SIGKILL'])
    await guard.ended
  })

  onLinux('is killed by the plan when its runner is frozen', async () => {
    const { guard, ended } = await startCommand()
    expect(await ended).toEqual([null, 'SIGKILL'])
    guard.send({ type: 'done' })
    await guard.ended
  })
})

it('a renewal does not save a command that got SIGTERM', async () => {
  const command = await stubbornCommand()
  const ended = once(command, 'exit')
  const guard = await startGuard()
  const now = machineMs()
  guard.send({ type: 'until', plan: { termAt: now, killAt: now + 1_000 }, graceMs: 1_000 })
  guard.send({ type: 'watch', command: { pid: command.pid ?? -1, isGroup: true } })
  await until(() => guard.reports.includes('term'))
  guard.send({ type: 'until', plan: { termAt: now + 60_000, killAt: now + 61_000 }, graceMs: 1_000 })
  expect(await ended).toEqual([null, 'SIGKILL'])
  guard.send({ type: 'done' })
  await guard.ended
  expect(guard.reports).toEqual(['ready', 'term', 'kill'])
})

it('a command whose runner is gone gets its grace, but no more time than the plan has left', async () => {
  const command = await stubbornCommand()
  const ended = once(command, 'exit')
  const guard = await startGuard()
  const now = machineMs()
  guard.send({ type: 'until', plan: { termAt: now + 500, killAt: now + 1_000 }, graceMs: 60_000 })
  guard.send({ type: 'watch', command: { pid: command.pid ?? -1, isGroup: true } })
  guard.runnerGone()
  expect(await ended).toEqual([null, 'SIGKILL'])
  await guard.ended
})

for (const isGroup of [true, false]) {
  const what = isGroup ? 'a process group' : 'a process'
  asRoot(`${what} of another user counts as alive, and the guard says that it cannot be killed`, async () => {
    const command = await stubbornCommand()
    const guard = await startGuard(nobody)
    const now = machineMs()
    guard.send({ type: 'until', plan: { termAt: now + 60_000, killAt: now + 61_000 }, graceMs: 500 })
    guard.send({ type: 'watch', command: { pid: command.pid ?? -1, isGroup } })
    guard.runnerGone()
    await guard.ended
    expect(guard.reports).toEqual(['ready', 'term', 'denied'])
    expect(command.signalCode).toBeNull()
  })
}

onLinux('what a command starts while it is killed does not survive it', async () => {
  const mark = uniqueName('mark')
  const script = 'trap "while :; do sleep 60 & done" TERM; echo ready; while :; do sleep 1 & wait; done'
  const command = spawn('sh', ['-c', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, MARK: mark },
  })
  started.push(command)
  command.once('exit', guardPid(command.pid ?? -1))
  const ended = once(command, 'exit')
  await once(command.stdout, 'data')
  const guard = await startGuard()
  const now = machineMs()
  guard.send({ type: 'until', plan: { termAt: now, killAt: now + 100 }, graceMs: 100 })
  guard.send({ type: 'watch', command: { pid: command.pid ?? -1, isGroup: false } })
  await ended
  guard.send({ type: 'done' })
  await guard.ended
  try {
    await until(() => processesWith('MARK', mark).length === 0)
  } finally {
    for (const pid of processesWith('MARK', mark)) process.kill(pid, 'SIGKILL')
  }
})

it('a guard survives what a service manager sends to every process, and does its work', async () => {
  const command = await stubbornCommand()
  const ended = once(command, 'exit')
  const guard = await startGuard()
  for (const signal of forwarded) guard.process.kill(signal)
  const now = machineMs()
  guard.send({ type: 'until', plan: { termAt: now, killAt: now + 100 }, graceMs: 100 })
  guard.send({ type: 'watch', command: { pid: command.pid ?? -1, isGroup: true } })
  expect(await ended).toEqual([null, 'SIGKILL'])
  guard.send({ type: 'done' })
  await guard.ended
})
