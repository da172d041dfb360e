import type { Loss } from '../shared/payloads.js'

/** One loss, and whether its client may have lost more before it than it remembers. */
export interface RememberedLoss extends Omit<Loss, 'count' | 'since' | 'otherProcesses' | 'isAtLeast'> {
  readonly isOldestKept: boolean
}

/** The newest first. Losses of one object in a row are one entry, which is about the newest of them and counts the others. */
export function runsOf(losses: readonly RememberedLoss[]): Loss[] {
  const runs: RememberedLoss[][] = []
  for (const loss of [...losses].sort((a, b) => b.at - a.at)) {
    const run = runs.at(-1)
    const [newest] = run ?? []
    if (run && newest?.name === loss.name && newest.object === loss.object) run.push(loss)
    else runs.push([loss])
  }
  return runs.flatMap((run) => {
    const [newest] = run
    if (!newest) return []
    const { isOldestKept: _, ...loss } = newest
    return [
      {
        ...loss,
        reason: [...new Set(run.map(({ reason }) => reason))].join(', '),
        count: run.length,
        since: run.at(-1)?.at ?? loss.at,
        otherProcesses: new Set(run.map(({ process }) => process.clientId)).size - 1,
        isAtLeast: run.some(({ isOldestKept }) => isOldestKept),
      },
    ]
  })
}
