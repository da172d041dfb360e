import {
  startPostgresWith,
  type PostgresServer,
  type StartPostgresOptions,
} from '../../postgres/postgres-server.js'

import { openClock } from './steppable-clock.js'

/** A server whose wall clock can be stepped while it runs. */
export interface SteppablePostgres {
  readonly server: PostgresServer
  /** Steps the clock by that many milliseconds, backwards if negative; steps add up, and restarts keep them. */
  stepClock(stepMs: number): Promise<void>
  /** Stops the server permanently. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts a server like `startPostgres`. `null` where clocks cannot be moved: not 64-bit Linux, or no C compiler. */
export async function startSteppablePostgres({
  settings = {},
}: StartPostgresOptions = {}): Promise<SteppablePostgres | null> {
  const clock = await openClock()
  if (clock === null) return null
  try {
    const server = await startPostgresWith({ settings, env: clock.env }, (each) => each.init())
    return {
      server,
      stepClock: (stepMs) => clock.step(stepMs),
      stop: async () => {
        await server.stop()
        await clock.close()
      },
    }
  } catch (error) {
    await clock.close()
    throw error
  }
}
