// One process of a rolling deployment. Arguments: the library, and which version of the code this process runs.
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'

const [library, version] = process.argv.slice(2)
const { [version]: run } = await import(`./${library}.mjs`)
const redis = new Redis(process.env.REDIS_URL)

/** Loses counts where two processes are in it at once. */
async function increment(counter) {
  const count = Number(await redis.get(counter))
  for (let turns = 0; turns < 5; turns += 1) await nextTurn()
  await redis.set(counter, count + 1)
}

const acts = {
  /** So many increments, one by one. */
  async increment({ name, counter, rounds }) {
    for (let round = 0; round < rounds; round += 1) await run(name, () => increment(counter))
  },
  /** Enters, and stays until the next message. */
  async stay({ name }) {
    await run(name, async () => {
      await tellParent({ type: 'inside' })
      await fromParent('leave')
    })
  },
  /** Loses the old lock inside, and works until its signal aborts. */
  async lose({ name, durationMs }) {
    const lose = async ({ signal }) => {
      await redis.del(name)
      await sleep(30_000, undefined, { signal })
    }
    const error = await run(name, lose, durationMs).catch((reason) => reason)
    await tellParent({ type: 'lost', error: error?.name })
  },
  /** Enters inside itself. */
  async nest({ name, counter }) {
    await run(name, () => run(name, () => increment(counter)))
  },
}

await tellParent({ type: 'ready' })
for (;;) {
  const order = await fromParent('do')
  await acts[order.act](order)
  await tellParent({ type: 'done' })
}
