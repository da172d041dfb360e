import type { TracingChannel } from 'node:diagnostics_channel'

/** What a traced operation came to. */
interface Settlement<T> {
  /** Completes the context with the result. */
  resolved(result: T): void
  /** Completes the context without one. */
  rejected(error: unknown): void
}

/**
 * Publishes an operation in the order of `tracePromise`: start, end when the call has returned, then for its result asyncStart and
 * asyncEnd, and before them error if it rejected.
 *
 * Returns the operation's own promise, where `tracePromise` returns another one: a caller that handles rejections on the
 * first would leave the second unhandled.
 */
export function trace<C extends object, T>(
  channel: TracingChannel<unknown, C>,
  context: C,
  run: () => Promise<T>,
  settlement: Settlement<T>,
): Promise<T> {
  return channel.start.runStores(context, () => {
    const promise = run()
    channel.end.publish(context)
    promise.then(
      (result) => {
        settlement.resolved(result)
        publishEnd(channel, context)
      },
      (error: unknown) => {
        settlement.rejected(error)
        channel.error.publish(context)
        publishEnd(channel, context)
      },
    )
    return promise
  })
}

/** Publishes that an operation is over that had no promise, or whose promise is settled. */
export function publishEnd<C extends object>(channel: TracingChannel<unknown, C>, context: C): void {
  channel.asyncStart.publish(context)
  channel.asyncEnd.publish(context)
}
