import { fileURLToPath } from 'node:url'
import { forkWorker } from '@holdfast/testkit'
import { pin, workerCore } from '../pinning.js'
import { startPinnedRedis } from '../redis.js'
import type { Costs } from './costs.js'
import { measureBus } from './measure-bus.js'

const measuringFile = fileURLToPath(new URL('measure.js', import.meta.url))

/** The costs, and beside them what the simulation is checked against. */
export interface Calibration {
  readonly costs: Costs
  /** A hand-over among waiters of one process, as it was seen from outside. */
  readonly wallHandOverUs: number
}

/** Measures on a Redis of its own what the steps of a lock cost here. */
export async function calibrate(isTrial: boolean): Promise<Calibration> {
  const server = await startPinnedRedis()
  try {
    const worker = await forkWorker(measuringFile, { args: [server.url] })
    try {
      await pin(worker.pid, workerCore(0))
      await worker.send({ type: 'measure', isTrial })
      const { costs } = await worker.waitFor('measured', 60_000)
      const bus = await measureBus(isTrial ? 50 : 2_000)
      // What the process tells is what its last line says.
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
