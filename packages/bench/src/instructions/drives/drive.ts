import type { Session } from '../../contender.js'
import type { Recording } from '../recording.js'
import type { Tape } from '../tape.js'

/** Has clients of a server go through one kind of cycle, and marks on the tape where cycles begin and end. */
export type Drive = (url: string, tape: Tape) => Promise<Recording>

export const lockName = 'order:42'

/** After these the server has every script. */
const warmUpCycles = 10

/** Opens a client that has been in use. */
export async function openWarm(open: (url: string) => Promise<Session>, url: string): Promise<Session> {
  const session = await open(url)
  for (let n = 0; n < warmUpCycles; n += 1) await (await session.enter(lockName))()
  return session
}
