import type { Vote } from './vote.js'

const mostRead = 100

/** Reads who has the master now that is waited for, and the position in its queue; `undefined` if it says nothing of another owner. */
export async function readPresentHolder(
  { master, address }: Vote,
  owner: string,
): Promise<{ readonly holder: string; readonly position: number } | undefined> {
  const found = await master.steps.inspect(address, mostRead).catch(() => undefined)
  if (found?.kind !== 'lock') return undefined
  const holder = master.ownerOf(found.owner)
  const position = found.waiters.findIndex((waiter) => master.ownerOf(waiter.owner) === owner) + 1
  return holder === '' || holder === owner || position === 0 ? undefined : { holder, position }
}
