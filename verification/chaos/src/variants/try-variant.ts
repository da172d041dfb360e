import { scratchFolder } from '@holdfast/testkit'
import { openTestbed } from '../testbed.js'
import { lockCount, processCount } from '../sizes.js'
import type { Schedule } from '../schedule.js'
import { runSchedule } from '../run-schedule.js'
import { judge } from '../campaign.js'
import type { Verdict } from '../verdict.js'
import { buildVariant } from './build-variant.js'
import type { Variant } from './variant.js'

/** A broken library may leave its callers waiting indefinitely; a short time is enough to see it. */
const timeouts = { replyTimeoutMs: 6_000, leftoversEndWithinMs: 2_000 }

/** On a busy machine, messages may not arrive at the planned times, and what a stall disturbed is not judged. */
const tries = 20

/** Runs the variant's schedule with the broken library, again if the checker found nothing. */
export async function tryVariant(variant: Variant): Promise<Verdict> {
  const folder = await scratchFolder()
  try {
    const program = await buildVariant(variant, folder.path)
    const { topology = 'single', schedule } = variant
    const testbed = await openTestbed(topology, program, processesOf(schedule))
    try {
      for (let n = 1; ; n += 1) {
        const verdict = judge(await runSchedule(testbed, schedule, timeouts), testbed.name)
        if (n === tries || isCaught(variant, verdict)) return verdict
      }
    } finally {
      await testbed.close()
    }
  } finally {
    await folder.remove()
  }
}

/** Starting a process takes longer than most schedules. */
const processesOf = ({ calls, faults, resizes = [] }: Schedule): number => {
  const used = [
    ...calls.map((each, n) => (each.length > 0 ? n : 0)),
    ...faults.map(({ target }) => target),
    ...resizes.map(({ process }) => process),
  ]
  // At the end, when counts are compared, one process holds each lock.
  return Math.min(Math.max(lockCount, ...used.map((n) => n + 1)), processCount)
}

/** Whether the checker found one of the promises that the variant breaks to be broken. */
export function isCaught(variant: Variant, { violations }: Verdict): boolean {
  return violations.some(({ promise }) => variant.breaks.includes(promise))
}
