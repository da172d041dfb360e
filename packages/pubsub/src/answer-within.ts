/** Settles as `answer` does, but rejects with an error that names `what` if that takes longer than `limitMs`. */
export function answerWithin<A>(answer: Promise<A>, limitMs: number, what: string): Promise<A> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`No reply to ${what} within ${limitMs} ms`))
    // After a stall of the event loop the answer may lie in a socket already: let it be read first.
    const timer = setTimeout(() => setImmediate(giveUp), limitMs)
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
