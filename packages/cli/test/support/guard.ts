import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { guardPid, until } from '@holdfast/testkit'
import type { Order } from '../../src/run/guard-protocol.js'

const program = join(__dirname, '../../dist/guard-main.cjs')

/** A guard whose runner is the test. */
export interface TestGuard {
  readonly process: ChildProcess
  readonly reports: readonly string[]
  readonly ended: Promise<unknown>
  send(order: Order): void
  /** All that the system tells the guard of the death of its runner. */
  runnerGone(): void
}

/** @param uid - the user to run as, which takes root */
export async function startGuard(uid?: number): Promise<TestGuard> {
  // Only once it is loaded, as that user may not be able to read its files.
  const script = `await import(${JSON.stringify(program)}); ${uid === undefined ? '' : `process.setuid(${uid})`}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close').finally(guardPid(child.pid ?? -1))
  const reports: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => reports.push(line))
  await until(() => reports.includes('ready'), { what: 'the guard to start' })
  return {
    process: child,
    reports,
    ended,
    send: (order) => void child.stdin.write(`${JSON.stringify(order)}\n`),
    runnerGone: () => void child.stdin.end(),
  }
}

/** The guard of a running `holdfast run`. */
export function guardOf(runner: number): number {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const guards = lines.flatMap((line) => {
    const [pid, parent, ...args] = line.trim().split(/\s+/)
    return Number(parent) === runner && args.join(' ').includes('guard-main') ? [Number(pid)] : []
  })
  expect(guards).toHaveLength(1)
  return guards[0] ?? -1
}
