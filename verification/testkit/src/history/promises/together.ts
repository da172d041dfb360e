import type { Call } from '../calls.js'
import type { HistoryEvent } from '../event.js'
import { groupBy } from '../grouping.js'
import type { History } from '../history.js'
import { entryKey } from '../waiters.js'
import { evidence, type Violation } from '../violation.js'

/** The members of one call are acquired all or none, and the loss of one is the loss of all. */
export function checkTogether({ events, calls, options }: History): Violation[] {
  const members = calls.filter(({ requested }) => requested.together !== undefined)
  const claims = groupBy(
    events.filter((event) => event.kind === 'confirmed'),
    entryKey,
  )
  return [...groupBy(members, ({ requested }) => requested.together ?? '').values()].flatMap((group) => [
    ...partlyAcquired(group),
    ...outlivesLoss(group, claims, options.slackMs),
  ])
}

function partlyAcquired(group: readonly Call[]): Violation[] {
  const acquired = group.filter((call) => call.acquired)
  const [missing] = group.filter((call) => !call.acquired && !call.killed)
  if (acquired.length === 0 || !missing) return []
  return [violation(missing, 'was not acquired with the others of its call', group)]
}

/** A member that is still claimed when another one is known to be lost, or of which no loss is ever reported. */
function outlivesLoss(
  group: readonly Call[],
  claims: ReadonlyMap<string, readonly HistoryEvent[]>,
  slackMs: number,
): Violation[] {
  const [first] = group
    .flatMap(({ lost, lossFound }) => evidence(lost, lossFound))
    .sort((a, b) => a.atMs - b.atMs)
  if (!first) return []
  return group.flatMap((call) => {
    const { acquired, left, lost, lossFound, killed } = call
    if (!acquired) return []
    const claimed = claims.get(entryKey(acquired))?.some(({ atMs }) => atMs > first.atMs)
    if (claimed) return [violation(call, 'was claimed after another of its call was lost', group)]
    const [end] = evidence(left, lost, lossFound, killed)
    return end && end.atMs <= first.atMs + slackMs
      ? []
      : [violation(call, 'outlived the loss of another of its call', group)]
  })
}

function violation({ requested }: Call, problem: string, group: readonly Call[]): Violation {
  return {
    promise: 'together',
    lock: requested.lock,
    message: `${requested.process}: ${requested.lock} ${problem}`,
    events: evidence(...group.flatMap((call) => [call.requested, call.acquired, call.lost, call.lossFound])),
  }
}
