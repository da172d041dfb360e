/**
 * Resolves once `quorum` of these have succeeded; rejects once so many have failed that this cannot happen any more, with
 * their errors in the order of their failing.
 */
export function majorityOf(steps: readonly Promise<unknown>[], quorum: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const errors: unknown[] = []
    let succeeded = 0
    const check = (): void => {
      if (succeeded >= quorum) resolve()
      else if (steps.length - errors.length < quorum) reject(new TooFewError(errors))
    }
    for (const step of steps) {
      step.then(
        () => {
          succeeded++
          check()
        },
        (error: unknown) => {
          errors.push(error)
          check()
        },
      )
    }
    check()
  })
}

/** Too few of several steps succeeded. */
export class TooFewError extends Error {
  constructor(readonly errors: readonly unknown[]) {
    super('too few masters replied')
  }
}
