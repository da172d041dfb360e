import type { HistoryEvent } from '@holdfast/testkit'
import type { Actor, ActorOptions } from './actor.js'
import { HoldfastActor } from './holdfast-actor.js'
import { Scene } from './scene.js'
import type { Schedule } from './schedules.js'
import type { Stage } from './stages.js'
import { SteppedRedis } from './stepped-redis.js'
import { ClassicActor } from './classic-actor.js'

/** How a schedule went. */
export interface Played {
  readonly history: readonly HistoryEvent[]
  /** Per actor, the code of the error that its leaving ended with; `null` where there was none. */
  readonly leftWith: Readonly<Record<string, string | null>>
}

export interface HoldfastStageOptions {
  /** The compiled `stages/holdfast-worker` of this package. */
  readonly workerFile: string
  /** @defaultValue 1_500 */
  readonly watchdogTimeoutMs?: number
}

/** Plays a schedule, the stage's own unless told otherwise, with the stage's lock. */
export function playStage(stage: Stage, url: string, schedule = stage.schedule): Promise<Played> {
  return play(schedule, new Scene(url, ''), (scene, name, { clockAheadMs = 0 }) => {
    const redis = new SteppedRedis(url)
    const lock = stage.open(redis, scene.key, () => Date.now() + clockAheadMs)
    return Promise.resolve(new ClassicActor(name, scene, redis, lock, stage.doors))
  })
}

/** Plays a schedule with Holdfast's lock. */
export function playWithHoldfast(
  schedule: Schedule,
  url: string,
  { workerFile, watchdogTimeoutMs = 1_500 }: HoldfastStageOptions,
): Promise<Played> {
  return play(schedule, new Scene(url, 'lock:'), (scene, name, options) =>
    HoldfastActor.start(name, scene, { ...options, workerFile, watchdogTimeoutMs }),
  )
}

async function play(
  schedule: Schedule,
  scene: Scene,
  start: (scene: Scene, name: string, options: ActorOptions) => Promise<Actor>,
): Promise<Played> {
  await using _scene = scene
  const actors: Actor[] = []
  try {
    await schedule({
      async enter(name, options = {}) {
        const actor = await start(scene, name, options)
        if (options.clockAheadMs)
          scene.noteFault(name, `clock ${options.clockAheadMs / 60_000} minutes ahead`)
        actors.push(actor)
        return actor
      },
      async isServed(waiting) {
        if (await scene.isHeldForEver()) return false
        await waiting.isInside()
        return true
      },
    })
  } finally {
    await Promise.all(actors.map((actor) => actor.close()))
  }
  await scene.clear()
  return {
    history: scene.history,
    leftWith: Object.fromEntries(actors.map(({ name, leftWith }) => [name, leftWith])),
  }
}
