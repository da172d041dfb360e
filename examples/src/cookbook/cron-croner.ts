import type { Holdfast } from '@holdfast/core'
import { Cron } from 'croner'
import { runTick, type CronJob, type RecordStore } from './cron.js'

/** Runs the job on one of the instances that call this, whenever the pattern says so, in UTC. */
export function scheduleCron(
  holdfast: Holdfast,
  redis: RecordStore,
  pattern: string,
  job: CronJob,
  onError: (error: unknown) => void,
): Cron {
  const cron = new Cron(pattern, { timezone: 'UTC', catch: onError }, async () => {
    // The time that croner had scheduled, which is the same on all instances, and not the time that it is now.
    const tick = due
    due = cron.nextRun()
    if (tick) await runTick(holdfast, redis, job, tick.getTime())
  })
  let due = cron.nextRun()
  // The tick that was due last: a deployment may have stopped the instances that waited to run it.
  const [last] = cron.previousRuns(1)
  if (last) runTick(holdfast, redis, job, last.getTime()).catch(onError)
  return cron
}
