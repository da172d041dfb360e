import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { titleOf } from '../contender.js'
import { pin, workerCore } from '../pinning.js'
import { startPinnedRedis } from '../redis.js'
import { interleaved, type Seen } from '../rounds.js'
import type { Scenario } from '../scenario.js'
import { packageSize } from '../start-up/package-size.js'
import { bareClient, libraries, type Subject } from '../start-up/subjects.js'

const name = 'start-up'
const program = fileURLToPath(new URL('../start-up/start.js', import.meta.url))

/** In a new process each time: from the import of a library until it holds its first lock. And the size it installs. */
export const startUp: Scenario = {
  name,
  title: 'From the import to the first lock in a fresh process, and the size of what is installed',
  compares: { what: 'startMs', lessIsBetter: true },
  floor: bareClient.of,
  async run({ contenders, rounds }) {
    const titles = contenders.map(titleOf)
    const subjects = [bareClient, ...libraries.filter(({ contender }) => titles.includes(contender))]
    const server = await startPinnedRedis()
    try {
      const medians = await interleaved(subjects, rounds, (subject) => start(subject, server.url))
      return await Promise.all(
        [...medians].map(async ([{ of, packages }, seen]) => ({
          scenario: name,
          of,
          at: {},
          // All libraries use this client, so its size is not counted.
          seen: packages.length === 0 ? seen : { ...seen, ...(await packageSize(packages)) },
        })),
      )
    } finally {
      await server.stop()
    }
  },
}

async function start({ contender, modules }: Subject, url: string): Promise<Seen> {
  await using worker = await forkWorker(program, { args: [contender, url, ...modules] })
  await pin(worker.pid, workerCore(0))
  await worker.send({ type: 'go' })
  const reply = await worker.waitFor('started')
  const importMs = Number(reply['importMs'])
  const firstLockMs = Number(reply['firstLockMs'])
  return { startMs: importMs + firstLockMs, importMs, firstLockMs }
}
