import type { Session } from '../contender.js'
import { weigh, type Weight } from '../heap.js'
import { serverNumbers } from '../server-info.js'
import { loads } from './loads.js'

export interface MemoryOrder {
  readonly url: string
  readonly load: keyof typeof loads
  readonly count: number
  /** How many held locks the waiters wait for; 0 measures held locks instead of waiters. */
  readonly waitedFor: number
}

/** In bytes. */
export interface MemoryUse extends Weight {
  readonly serverBytes: number
}

/** What one held lock, or one waiter, adds to this process and to the server. All of them still exist when it returns. */
export async function memory(
  _session: Session,
  { url, load: kind, count, waitedFor }: MemoryOrder,
): Promise<MemoryUse> {
  const load = loads[kind](url)
  await load.hold(named('warm-up', 200))
  await load.hold(named('waited-for', waitedFor))
  // One-time costs of the first waiters must not be counted.
  if (waitedFor > 0) await load.wait(named('warm-up', 200))
  const before = await weighBoth(url)
  if (waitedFor > 0) await load.wait(named('waited-for', count, waitedFor))
  else await load.hold(named('held', count))
  const after = await weighBoth(url)
  const perItem = (name: keyof typeof before): number => (after[name] - before[name]) / count
  return {
    heapBytes: perItem('heapBytes'),
    externalBytes: perItem('externalBytes'),
    rssBytes: perItem('rssBytes'),
    serverBytes: perItem('used_memory'),
  }
}

const weighBoth = async (url: string) => ({
  ...(await serverNumbers(url, 'used_memory')),
  ...(await weigh()),
})

/** `count` names, `different` of them different. */
const named = (kind: string, count: number, different = count): string[] =>
  Array.from({ length: count }, (_, n) => `${kind}:${n % different}`)
