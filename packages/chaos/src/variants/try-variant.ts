import { scratchFolder } from '@holdfast/testkit'
import { openArena } from '../arena.js'
import { play } from '../play.js'
import { judge, type Verdict } from '../verdict.js'
import { buildVariant } from './build-variant.js'
import type { Variant } from './variants.js'

/** A broken library may leave its users waiting for ever: that is seen soon enough. */
const patience = { patienceMs: 6_000, leftoversEndWithinMs: 2_000 }

/** On a busy machine a message may come at another time than planned. */
const tries = 3

/** Plays the variant's schedule with the broken library, again if nothing was seen. */
export async function tryVariant(variant: Variant): Promise<Verdict> {
  const folder = await scratchFolder()
  try {
    const arena = await openArena('single', await buildVariant(variant, folder.path))
    try {
      for (let n = 1; ; n += 1) {
        const verdict = judge(await play(arena, variant.schedule, patience))
        if (n === tries || isCaught(variant, verdict)) return verdict
      }
    } finally {
      await arena.close()
    }
  } finally {
    await folder.remove()
  }
}

/** Whether one of the promises that the variant breaks was seen broken. */
export function isCaught(variant: Variant, { violations }: Verdict): boolean {
  return violations.some(({ promise }) => variant.breaks.includes(promise))
}
