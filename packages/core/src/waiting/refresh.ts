import type { Acquisition } from './acquisition.js'
import type { CommandLink } from '../redis/connection/script-connection.js'
import type { LockCommands } from '../redis/commands.js'
import type { WaitRoom } from './waiter-table.js'

const mostPerCommand = 500

/**
 * Keeps the places of all queued waiters alive, many in one command, and tells those who were granted the lock without
 * hearing of it, or who lost their place, to ask again.
 */
export async function refreshPlaces(
  room: WaitRoom,
  link: CommandLink,
  commands: LockCommands,
): Promise<void> {
  const groups = new Map<string, Acquisition[]>()
  for (const acquisition of room.queued()) {
    const group = link.groupOf(acquisition.keys.lock)
    const members = groups.get(group)
    if (members) members.push(acquisition)
    else groups.set(group, [acquisition])
  }
  const batches = [...groups.values()].flatMap((members) => chunks(members, mostPerCommand))
  await Promise.all(batches.map((batch) => refreshBatch(batch, room, commands)))
}

async function refreshBatch(
  batch: readonly Acquisition[],
  room: WaitRoom,
  commands: LockCommands,
): Promise<void> {
  const places = batch.map(({ keys, owner, placeMs }) => ({ keys, owner, placeMs }))
  const answers = await commands.refresh(places)
  batch.forEach((acquisition, i) => {
    const answer = answers[i]
    if (answer?.state === 'waiting') room.noteTtl(acquisition.keys, answer.ttlMs)
    else acquisition.wake()
  })
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size))
}
