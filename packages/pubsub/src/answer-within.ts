/** Settles as `answer` does, but rejects with an error that names `what` if that takes longer than `limitMs`. */
export function answerWithin<A>(answer: Promise<A>, limitMs: number, what: string): Promise<A> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      // After an event-loop stall timers run before sockets are read. The answer may be lying there already, so it
      // gets one turn of the loop to be read before the other side is called mute.
      setImmediate(() => reject(new Error(`No answer to ${what} within ${limitMs} ms`)))
    }, limitMs)
    // The socket that owes the answer keeps the process alive, or nothing does.
    timer.unref()
    answer.finally(() => clearTimeout(timer)).then(resolve, reject)
  })
}
