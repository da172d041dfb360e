import { describeExploration, explore, ownersOf } from '@holdfast/model'
import { formerSurvivors, luaMutants, scriptsWith, tryMutants } from '@holdfast/mutants'
import { startRedis, type RedisServer } from '@holdfast/testkit'
import { scripts } from '../src/redis/scripts/generated.js'
import { brokenPromises } from './mutants/broken-promises.js'
import { luaOfTexts, redisKillers } from './mutants/redis-killers.js'
import { ScriptWatch } from './mutants/script-watch.js'
import { redisLock } from './steps/redis-lock.js'
import { redisShared } from './steps/redis-shared.js'
import { RedisStore } from './steps/redis-store.js'

const mutants = luaMutants()

let server: RedisServer
let watch: ScriptWatch

beforeAll(async () => {
  server = await startRedis({ args: ['--lua-time-limit', '200'] })
  watch = new ScriptWatch(server)
})

afterAll(async () => {
  watch.stop()
  await server.stop()
})

it('every survivor that is listed names a mistake that can be made', () =>
  expect(formerSurvivors('redis', mutants)).toEqual([]))

it('mistakes in the Lua scripts are found, or listed with the reason why they do no harm', async () => {
  const wrong = await tryMutants({
    engine: 'redis',
    mutants,
    killersOf(mutant) {
      const texts = scriptsWith(mutant)
      return redisKillers(server.url, texts, (name) => texts.get(name) !== scripts[name].lua)
    },
  })
  expect(wrong).toEqual([])
}, 36_000_000)

it.each(brokenPromises)('the exploration shows the promise %s broken: %s', async (promise, id, bounds) => {
  const mutant = mutants.find((each) => each.id === id)
  if (!mutant) throw new Error('no such mistake can be made')
  const kind = bounds.shared ? redisShared : redisLock
  const lua = luaOfTexts(scriptsWith(mutant), kind.scripts)
  const explored = await explore(await RedisStore.open(server.url, kind, ownersOf(bounds), lua), bounds)
  expect(`${explored.violation?.promise}: ${describeExploration(explored)}`).toContain(`${promise}:`)
})
