import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { redisFromPath } from '../../find/binary.js'
import { redisFromDebian } from '../../find/debian.js'
import { scratchFolder, type ScratchFolder } from '../../process/reaper.js'
import { startLocalRedis } from '../../server/local-redis.js'
import type { RedisServer, StartRedisOptions } from '../../server/redis-server.js'
import { buildClockShim } from './clock-shim.js'

/** A server whose wall clock can be moved while it runs. */
export interface SteppableRedis extends AsyncDisposable {
  readonly server: RedisServer
  /**
   * Moves the clock by that many milliseconds, backwards if negative, from where it is; restarts keep it there.
   *
   * TIME and times to live follow at once. What the server measures by its monotonic clock does not.
   */
  stepClock(stepMs: number): Promise<void>
  /** Ends the server for good. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts a server as `startRedis` does, with a library preloaded that stands between it and the system's clock.
 *
 * `null` where that library cannot be had: it takes a local server on 64-bit Linux and a C compiler (`cc`).
 */
export async function startSteppableRedis(options: StartRedisOptions = {}): Promise<SteppableRedis | null> {
  const shim = await buildClockShim()
  if (shim === null) return null
  const source = (await redisFromPath()) ?? (await redisFromDebian())
  if (source?.kind !== 'binary') return null
  const { binary } = source
  const folder = await scratchFolder()
  const clockFile = join(folder.path, 'clock')
  await writeFile(clockFile, toBytes(0))
  const env = { ...binary.env, LD_PRELOAD: shim, HOLDFAST_CLOCK_FILE: clockFile }
  try {
    const server = await startLocalRedis({ ...binary, env }, options)
    return new SteppedServer(server, clockFile, folder)
  } catch (error) {
    await folder.remove()
    throw error
  }
}

class SteppedServer implements SteppableRedis {
  readonly server: RedisServer
  readonly #clockFile: string
  readonly #folder: ScratchFolder
  #offsetMs = 0

  constructor(server: RedisServer, clockFile: string, folder: ScratchFolder) {
    this.server = server
    this.#clockFile = clockFile
    this.#folder = folder
  }

  async stepClock(stepMs: number): Promise<void> {
    this.#offsetMs += stepMs
    // Written over in place: a file that is cut short first would take the mapping away under the server.
    await writeFile(this.#clockFile, toBytes(this.#offsetMs), { flag: 'r+' })
  }

  async stop(): Promise<void> {
    await this.server.stop()
    await this.#folder.remove()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }
}

/** Microseconds, as the shim reads them. */
function toBytes(offsetMs: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(Math.round(offsetMs * 1_000)))
  return bytes
}
