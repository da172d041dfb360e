import type { Bundle } from './bundle.js'
import type { EngineName } from './program/stores.js'
import { RedisGroup } from './redis/group.js'
import { RedisWay } from './redis/way.js'
import { forgetContexts } from './storage.js'
import { World } from './world.js'

/** What came of the conformance suite. */
export interface Conformity {
  readonly passed: number
  /** Titles and errors of those that failed. */
  readonly failed: readonly string[]
  readonly simulatedMs: number
}

/** Runs the conformance suite on an engine in one process, in virtual time. */
export async function conform(bundle: Bundle, engine: EngineName): Promise<Conformity> {
  const world = new World(1)
  const realm = world.start(engine)
  const copies = bundle.compile()
  const failed: string[] = []
  let runs = 0
  const group = new RedisGroup(world, 0, 2, () => (runs += 1))
  const servers = {
    way: () => new RedisWay(realm, group),
    restart: (keepsData: boolean) => group.restart(keepsData),
    failOver: () => group.failOver(),
    wipe: () => group.wipe(),
    get runs() {
      return runs
    },
  }
  const scenarios = copies.takeFor(realm).scenariosOn(engine, servers)
  for (const { title, run } of scenarios) {
    let isOver = false
    const end = (): void => {
      isOver = true
    }
    const fail = (error: unknown): void => {
      failed.push(`${title}: ${error instanceof Error ? error.message : String(error)}`)
    }
    realm.post(() => void run().catch(fail).then(end))
    try {
      await world.until(() => isOver, title)
    } catch (error) {
      fail(error)
    }
  }
  copies.giveBack()
  forgetContexts()
  return { passed: scenarios.length - failed.length, failed, simulatedMs: world.nowMs }
}
