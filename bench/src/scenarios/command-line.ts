import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { compare } from '../compare.js'
import type { Scenario, Seen } from '../scenario.js'
import { onRedis } from '../servers.js'

/** Finds the packages that are compared. */
const here = fileURLToPath(new URL('.', import.meta.url))
const holdfast = fileURLToPath(new URL('dist/main.cjs', import.meta.resolve('@holdfast/cli/package.json')))
/** The first thing that any program does with Redis. */
const floor = 'ioredis'
/** No server ever has this port. */
const nowhere = 'redis://127.0.0.1:1'

const cases = [
  { of: floor, args: () => ['-e', "require('ioredis'); console.log()"], endsWith: 0 },
  { of: 'holdfast ls', args: (url: string) => [holdfast, 'ls', '--url', url], endsWith: 0 },
  { of: 'holdfast ls, no server', args: () => [holdfast, 'ls', '--url', nowhere], endsWith: 69 },
]

/** A process of its own each time. */
export const commandLine: Scenario = {
  name: 'command-line',
  title: 'holdfast ls, beside a program that loads ioredis and ends',
  compares: { what: 'endMs', lessIsBetter: true },
  floor,
  run: ({ rounds }) =>
    onRedis(({ redis }) =>
      compare(
        rounds,
        cases.map(({ of, args, endsWith }) => ({
          of,
          at: {},
          measure: () => time(args(redis.url), endsWith),
        })),
      ),
    ),
}

/** Until a program says something, and until it has ended. */
async function time(args: readonly string[], endsWith: number): Promise<Seen> {
  const startedAt = performance.now()
  const since = (): number => performance.now() - startedAt
  const child = spawn(process.execPath, args, { cwd: here, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended])
  const firstByteMs = since()
  child.stdout.resume()
  child.stderr.resume()
  const [code] = (await ended) as [number | null]
  if (code !== endsWith) throw new Error(`node ${args.join(' ')} ended with ${String(code)}`)
  return { firstByteMs, endMs: since() }
}
