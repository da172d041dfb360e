import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { redisFromPath } from '../../find/probe-binary.js'
import { redisFromDebian } from '../../find/debian.js'
import { scratchFolder, type ScratchFolder } from '../../process/reaper.js'
import { startLocalRedis } from '../../server/local-redis.js'
import type { RedisServer, StartRedisOptions } from '../../server/redis-server.js'
import { buildClockShim } from './clock-shim.js'

/** A server whose wall clock can be stepped while it runs. */
export interface SteppableRedis extends AsyncDisposable {
  readonly server: RedisServer
  /**
   * Steps the clock by that many milliseconds, backwards if negative; steps add up, and restarts keep them.
   *
   * TIME and times to live follow at once. What the server measures by its monotonic clock is unaffected.
   */
  stepClock(stepMs: number): Promise<void>
  /** Stops the server permanently. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts a server like `startRedis`, with a preloaded library that intercepts its calls to the system's clock.
 *
 * `null` where that library is not available: it needs a local server on 64-bit Linux and a C compiler (`cc`).
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
    // Overwritten in place: truncating the file first would invalidate the server's memory mapping.
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
