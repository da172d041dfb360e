import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { forkWorker } from '@holdfast/testkit'
import { pin, redisCore, workerCore } from './pinning.js'

const run = promisify(execFile)
const spinner = fileURLToPath(new URL('spin.js', import.meta.url))
/** No crew has more processes. */
const mostWorkers = 8

/**
 * Keeps the cores that are measured awake while the callback runs. A core with nothing to do goes to sleep, in a virtual
 * machine even to its host, and wakes up late and with cold caches: between two commands of one client that is most of
 * what would be measured. Here each has something to do that gives way to everything else (`SCHED_IDLE`).
 *
 * @param say - is told where the platform cannot do it (Linux with util-linux)
 */
export async function withAwakeCores<T>(say: (line: string) => void, use: () => Promise<T>): Promise<T> {
  const cores = new Set([redisCore, ...Array.from({ length: mostWorkers }, (_, index) => workerCore(index))])
  const spinning = []
  try {
    for (const core of cores) {
      const worker = await forkWorker(spinner)
      spinning.push(worker)
      await run('chrt', ['--idle', '--pid', '0', String(worker.pid)])
      await pin(worker.pid, core)
    }
  } catch {
    say('Cores fall asleep between commands here: figures of a single client are higher for it.')
    await Promise.all(spinning.splice(0).map((worker) => worker.kill()))
  }
  try {
    return await use()
  } finally {
    await Promise.all(spinning.map((worker) => worker.kill()))
  }
}
