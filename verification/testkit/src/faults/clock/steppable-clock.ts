import { chmod, copyFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { scratchFolder, type ScratchFolder } from '../../process/reaper.js'
import { buildClockShim } from './clock-shim.js'

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string>>

/** A wall clock of its own for the processes that are started with its environment. */
export interface SteppableClock {
  readonly env: Environment
  /** Moves it by that many milliseconds, backwards if negative; steps add up. */
  step(stepMs: number): Promise<void>
  close(): Promise<void>
}

/** `null` where clocks cannot be moved: not 64-bit Linux, or no C compiler. */
export async function openClock(): Promise<SteppableClock | null> {
  const shim = await buildClockShim()
  if (shim === null) return null
  const folder = await scratchFolder()
  const clock = new FileClock(folder)
  await clock.step(0)
  // A server may run as another user, who can read neither our folders nor where the shim was built.
  await copyFile(shim, clock.shim)
  await chmod(dirname(folder.path), 0o711)
  return clock
}

class FileClock implements SteppableClock {
  readonly shim: string
  readonly env: Environment
  readonly #folder: ScratchFolder
  readonly #file: string
  #offsetMs = 0
  #isNew = true

  constructor(folder: ScratchFolder) {
    this.#folder = folder
    this.#file = join(folder.path, 'clock')
    this.shim = join(folder.path, 'clock-shim.so')
    this.env = { LD_PRELOAD: this.shim, HOLDFAST_CLOCK_FILE: this.#file }
  }

  async step(stepMs: number): Promise<void> {
    this.#offsetMs += stepMs
    // Overwritten in place: truncating the file first would invalidate the mappings of running servers.
    await writeFile(this.#file, toBytes(this.#offsetMs), { flag: this.#isNew ? 'w' : 'r+' })
    this.#isNew = false
  }

  close(): Promise<void> {
    return this.#folder.remove()
  }
}

/** Microseconds, as the shim reads them. */
function toBytes(offsetMs: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64LE(BigInt(Math.round(offsetMs * 1_000)))
  return bytes
}
