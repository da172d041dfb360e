import { openArena, type Arena } from '../src/arena.js'
import { play } from '../src/play.js'
import { isCaught, tryVariant } from '../src/variants/try-variant.js'
import { variants } from '../src/variants/variants.js'
import { judge } from '../src/verdict.js'

describe('the checker', () => {
  let arena: Arena
  beforeAll(async () => {
    arena = await openArena('single')
  })
  afterAll(() => arena.close())

  for (const variant of variants) {
    it(`catches a library in which ${variant.name}`, async () => {
      const verdict = await tryVariant(variant)
      expect({ caught: isCaught(variant, verdict), complaints: verdict.complaints }).toMatchObject({
        caught: true,
      })
    })

    it(`finds nothing on the same schedule where that is right: ${variant.name}`, async () => {
      const verdict = judge(await play(arena, variant.schedule))
      expect(verdict.complaints).toEqual([])
    })
  }
})
