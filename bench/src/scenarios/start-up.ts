import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { ping } from '../adapters/floors.js'
import { compare } from '../compare.js'
import type { Contender } from '../contender.js'
import { packageSize } from '../package-size.js'
import { pin, workerCore } from '../pinning.js'
import type { Scenario, Seen } from '../scenario.js'
import { onRedis } from '../stores.js'

const program = fileURLToPath(new URL('../start.js', import.meta.url))
/** All libraries use this client, so its size is not counted. */
const client = 'ioredis'

/** Long before the compiler has optimized what they run. */
const firstCycles = 1_000

/** In a new process each time: from the import of a library until it holds its first lock, and its first cycles. And the size it installs. */
export const startUp: Scenario = {
  name: 'start-up',
  title: 'From the import to the first lock in a fresh process, and the size of what is installed',
  compares: { what: 'startMs', lessIsBetter: true },
  floor: client,
  run: ({ contenders, rounds, isTrial }) =>
    onRedis(({ url }) => {
      const subjects = contenders.flatMap((contender) => {
        const { imports } = contender
        const size = (): Promise<Seen> => packageSize((imports ?? []).filter((name) => name !== client))
        return imports === undefined
          ? []
          : {
              of: contender === ping ? client : contender.library,
              at: {},
              measure: () => start(contender, imports, url, isTrial ? 2 : firstCycles),
              ...(imports.some((name) => name !== client) && { count: size }),
            }
      })
      return compare(rounds, subjects)
    }),
}

async function start(
  contender: Contender,
  imports: readonly string[],
  url: string,
  cycles: number,
): Promise<Seen> {
  await using worker = await forkWorker(program, {
    args: [contender.library, url, String(cycles), ...imports],
  })
  await pin(worker.pid, workerCore(0))
  await worker.send({ type: 'go' })
  const reply = await worker.waitFor('started')
  const importMs = Number(reply['importMs'])
  const firstLockMs = Number(reply['firstLockMs'])
  const [importCpuMs, firstCyclesUs] = [Number(reply['importCpuMs']), Number(reply['firstCyclesUs'])]
  return { startMs: importMs + firstLockMs, importMs, importCpuMs, firstLockMs, firstCyclesUs }
}
