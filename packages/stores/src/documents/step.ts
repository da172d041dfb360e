import { timedOut, UnavailableError, within, type NotALockReply } from '@holdfast/core/engine'

/** One document as a step finds it, with all that was due ended. */
export interface Opened<Content> {
  readonly content: Content
  /** The store's clock, microseconds. */
  readonly nowUs: number
  readonly incarnation: string
  /** For how many milliseconds nobody enters; 0: the store is open. */
  readonly opensInMs: number
  /**
   * Counts so many bytes for one more that waits.
   *
   * @throws `RefusedError` when the document has no room for it
   */
  readonly reserve: (bytes: number) => void
  /** Has something done once the store has what the steps make of the document. */
  readonly afterwards: (effect: () => void) => void
}

/** A step on one document, which waits for its reply. */
export interface Step<Content> {
  readonly untilMs: number
  /** No caller waits for it any more: it is not carried out. */
  isOver: boolean
  run(document: Opened<Content>): void
  /** Its caller gets what `run` found. */
  succeed(): void
  /** Its caller learns that the document is none of ours. */
  refuse(reply: NotALockReply): void
  fail(error: unknown): void
}

/** What a step is, besides what it does to the document. */
export interface StepOptions {
  readonly untilMs: number
  readonly timeoutMs: number
  /** Names the store if it does not reply. */
  readonly storeName: string
  readonly engine: string
}

/**
 * A step and the promise of its reply.
 *
 * @param change - may run again, when another client was faster
 */
export function stepOf<Content, Result>(
  change: (document: Opened<Content>) => Result,
  { untilMs, timeoutMs, storeName, engine }: StepOptions,
): { readonly step: Step<Content>; readonly reply: Promise<Result | NotALockReply> } {
  const { promise, resolve, reject } = withResolvers<Result | NotALockReply>()
  let found: (() => Result) | undefined
  const step: Step<Content> = {
    untilMs,
    isOver: false,
    run(document) {
      const result = change(document)
      found = () => result
    },
    refuse(notALock) {
      step.isOver = true
      resolve(notALock)
    },
    succeed() {
      step.isOver = true
      if (found) resolve(found())
    },
    fail(error) {
      step.isOver = true
      reject(error)
    },
  }
  const reply = within(promise, timeoutMs).then((result) => {
    if (result !== timedOut) return result
    step.isOver = true
    throw new UnavailableError(`${storeName} has not replied within ${timeoutMs} ms`, { engine })
  })
  return { step, reply }
}

interface Resolvers<Result> {
  readonly promise: Promise<Result>
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

/** What `Promise.withResolvers` does, from Node 22 on. */
function withResolvers<Result>(): Resolvers<Result> {
  let resolve: Resolvers<Result>['resolve'] = () => undefined
  let reject: Resolvers<Result>['reject'] = () => undefined
  const promise = new Promise<Result>((...both) => {
    ;[resolve, reject] = both
  })
  return { promise, resolve, reject }
}
