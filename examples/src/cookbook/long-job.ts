import { isHoldfastError, type Holdfast } from '@holdfast/core'

export type Step = (signal: AbortSignal) => Promise<void>

/** Runs the steps under one lock. Resolves with `false` when the lock was lost half-way: another process may run them by now. */
export async function runLong(holdfast: Holdfast, name: string, steps: readonly Step[]): Promise<boolean> {
  try {
    await holdfast.getLock(name).withLock({ waitMs: 60_000 }, async (lease) => {
      for (const step of steps) {
        lease.assertHeld() // before each step: code that ignores its signal would go on
        await step(lease.signal)
      }
    })
    return true
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'LOCK_LOST') throw error
    // Do not undo anything: look at what is stored, as the next run does.
    console.error(`${name} stopped: ${error.message}`)
    return false
  }
}
