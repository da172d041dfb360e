import { repeated, type Recording, type Sent } from '../recording.js'
import type { Tape } from '../tape.js'

/** A call for many holds or queue entries at once, which a client makes periodically. */
export interface Batch {
  /** How many holds or queue entries. */
  readonly size: number
  /** How often the replay makes the call. */
  readonly times: number
  /** The period is a third of it. Nothing may expire before a replay has come to the call. */
  readonly watchdogTimeoutMs: number
}

/**
 * Records the call of a script with so many keys for each hold or queue entry. The second one: the first may find that the
 * server lacks the script.
 */
export async function recordBatch(tape: Tape, { size, times }: Batch, keysEach: number): Promise<Recording> {
  const isCall = ({ words: [name = '', , keys] }: Sent): boolean =>
    name.toLowerCase() === 'evalsha' && keys === String(size * keysEach)
  await tape.begin()
  await tape.whenSent(2, isCall)
  return repeated(await tape.end(size), isCall, size, times)
}
