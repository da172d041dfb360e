import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'

export type Engine = 'redis' | 'postgres' | 'memory' | 'documents' | 'sessions'

/** By the reason why they do no harm: the mistakes that nothing here finds. */
type SurvivorList = Readonly<Record<string, readonly string[]>>

/** The mistakes that are listed, each once. */
export function survivorsOf(engine: Engine): ReadonlySet<string> {
  const text = readFileSync(join(root, `verification/mutants/survivors/${engine}.json`), 'utf8')
  const ids = Object.values(JSON.parse(text) as SurvivorList).flat()
  const set = new Set(ids)
  if (set.size !== ids.length) throw new Error(`a survivor of ${engine} is listed twice`)
  return set
}
