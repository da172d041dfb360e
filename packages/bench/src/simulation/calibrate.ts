import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { pin, workerCore } from '../pinning.js'
import { startPinnedRedis } from '../redis.js'
import type { Costs } from './costs.js'
import { measureBus } from './measure-bus.js'

const measuringFile = fileURLToPath(new URL('measure.js', import.meta.url))

/** The costs, and a measurement to check the simulation against. */
export interface Calibration {
  readonly costs: Costs
  /** A hand-over among waiters of one process, in wall-clock time. */
  readonly wallHandOverUs: number
}

/** Measures on a new Redis server what the steps of a lock cost on this machine. */
export async function calibrate(isTrial: boolean): Promise<Calibration> {
  const server = await startPinnedRedis()
  try {
    const worker = await forkWorker(measuringFile, { args: [server.url] })
    try {
      await pin(worker.pid, workerCore(0))
      await worker.send({ type: 'measure', isTrial })
      const { costs } = await worker.waitFor('measured', 60_000)
      const bus = await measureBus(isTrial ? 50 : 2_000)
      // The shape of the message is given by the last line of `measure`.
      const { wallHandOverUs, ...measured } = costs as Omit<Costs, keyof typeof bus> & {
        wallHandOverUs: number
      }
      return { costs: { ...measured, ...bus }, wallHandOverUs }
    } finally {
      await worker.kill()
    }
  } finally {
    await server.stop()
  }
}
