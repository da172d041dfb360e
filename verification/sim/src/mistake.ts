import type { ObjectName } from '@holdfast/chaos'
import type { Promised } from '@holdfast/testkit'
import type { Edit } from './bundle.js'
import type { SimSchedule } from './play.js'
import type { EngineName } from './program/stores.js'

/** A mistake that is planted into the library. A schedule must show it. */
export interface Mistake {
  readonly name: string
  readonly engine: EngineName
  readonly object: ObjectName
  readonly edits: readonly Edit[]
  /** At least one of these promises is broken by it. */
  readonly breaks: readonly Promised[]
  /** The seed of the first random schedule that shows it, or a schedule of its own where no random one of the first 500 does. */
  readonly shownBy: number | SimSchedule
}

type Draft = readonly [
  name: string,
  object: ObjectName,
  shownBy: Mistake['shownBy'],
  breaks: Mistake['breaks'],
  ...edits: readonly (readonly [file: string, find: string, replace: string])[],
]

/** Those in one package, all on one engine. */
export const mistakesIn = (of: Edit['of'], engine: EngineName, drafts: readonly Draft[]): Mistake[] =>
  drafts.map(([name, object, shownBy, breaks, ...edits]) => ({
    name,
    engine,
    object,
    shownBy,
    breaks,
    edits: edits.map(([file, find, replace]) => ({ of, file, find, replace })),
  }))
