import { timedOut, within } from './within.js'

/** Settles as `answer` does, but rejects with an error that names `what` if that takes longer than `limitMs`. */
export async function answerWithin<A>(answer: Promise<A>, limitMs: number, what: string): Promise<A> {
  const result = await within(answer, limitMs)
  if (result === timedOut) throw new Error(`No reply to ${what} within ${limitMs} ms`)
  return result
}
