// An application that locks in effects. Environment: REDIS_URL.
import { Holdfast } from '@holdfast/core'
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { Effect, Exit } from 'effect'
import { withLock } from '../../../dist/cookbook/effect.js'

const holdfast = new Holdfast({ redis: process.env.REDIS_URL })
const lock = holdfast.getLock('order:42')

const until = (type) => Effect.promise(() => fromParent(type))
const tell = (type) => Effect.promise(() => tellParent({ type }))

const work = withLock(lock, { waitMs: 20_000 }, () =>
  tell('began').pipe(
    Effect.andThen(until('finish')),
    Effect.as('done'),
    Effect.onInterrupt(() => tell('interrupted')),
  ),
)
const nested = withLock(lock, {}, () => withLock(lock, { waitMs: 50 }, () => Effect.succeed('inside')))

async function serve(type, effect) {
  for (;;) {
    await fromParent(type)
    const exit = await Effect.runPromiseExit(effect)
    const outcome = Exit.isSuccess(exit) ? exit.value : String(exit.cause)
    await tellParent({ type: 'ended', outcome, isLocked: await lock.isLocked() })
  }
}
void serve('work', work)
void serve('nested', nested)
await tellParent({ type: 'ready' })
