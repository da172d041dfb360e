import type { Holdfast } from '@holdfast/core'

export interface CronJob {
  readonly name: string
  readonly everyMs: number
  /** @param tick - the time it was due, milliseconds since 1970 */
  run(tick: number, signal: AbortSignal): Promise<void>
}

/** Where the record of the last tick is kept: any client of Redis with `get` and `set`. */
export interface RecordStore {
  get(key: string): Promise<string | null>
  set(key: string, value: string): Promise<unknown>
}

/** About 25 days: the longest `waitMs`, and the longest `setTimeout`, which fires at once beyond it. */
const longestMs = 2 ** 31 - 1

/** Runs the job for one tick, unless it was done before. Resolves with whether it ran here. */
export async function runTick(
  holdfast: Holdfast,
  redis: RecordStore,
  job: CronJob,
  tick: number,
): Promise<boolean> {
  // Waits while another instance runs the job, to take over if that one dies; until the next tick at most.
  const waitMs = Math.min(job.everyMs, longestMs)
  const lease = await holdfast.getLock(`cron:${job.name}`).tryLock({ waitMs })
  if (!lease) return false
  try {
    const record = `cron-done:${job.name}`
    if (tick <= Number(await redis.get(record))) return false
    await job.run(tick, lease.signal)
    lease.assertHeld()
    await redis.set(record, String(tick))
    return true
  } finally {
    await lease.unlock()
  }
}

/** Runs the job on one of the instances that call this. Returns a function that stops it. */
export function schedule(
  holdfast: Holdfast,
  redis: RecordStore,
  job: CronJob,
  onError: (error: unknown) => void,
): () => void {
  let timer: NodeJS.Timeout
  const at = (time: number, then: () => void): void => {
    const leftMs = time - Date.now()
    timer = setTimeout(leftMs > longestMs ? () => at(time, then) : then, Math.min(leftMs, longestMs))
  }
  const run = (tick: number): void => void runTick(holdfast, redis, job, tick).catch(onError)
  const awaitNext = (): void => {
    // A tick is identified by its scheduled time, not by when the timer fires, which may be early or late.
    const tick = (Math.floor(Date.now() / job.everyMs) + 1) * job.everyMs
    at(tick, () => {
      awaitNext()
      run(tick)
    })
  }
  // The tick that was due last: a deployment may have stopped the instances that waited to run it.
  run(Math.floor(Date.now() / job.everyMs) * job.everyMs)
  awaitNext()
  return () => clearTimeout(timer)
}
