import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from '../generate/mutant.js'
import { root } from '../root.js'
import { hunt, type Killer, type Verdict } from './hunt.js'
import { selectionOfEnvironment } from './selection.js'
import { survivorsOf, type Engine } from './survivors.js'

export interface Trial {
  readonly engine: Engine
  readonly mutants: readonly Mutant[]
  /** Of a mutant that is no program: why. */
  readonly killersOf: (mutant: Mutant) => readonly Killer[] | Promise<readonly Killer[] | string>
}

/**
 * Tries the selected mutants and returns what is wrong with the list of survivors. A sample leaves out those that are
 * listed. Each verdict is a line in `.cache/mutants/<engine>.tsv`.
 */
export async function tryMutants({ engine, mutants, killersOf }: Trial): Promise<string[]> {
  const survivors = survivorsOf(engine)
  const { isSample, of } = selectionOfEnvironment()
  const log = openLog(engine)
  const wrong: string[] = []
  const tried = mutants.filter((mutant) => of(mutant) && !(isSample && survivors.has(mutant.id)))
  for (const mutant of tried) {
    const startedAt = performance.now()
    const killers = await killersOf(mutant)
    const verdict: Verdict =
      typeof killers === 'string' ? { kind: 'invalid', found: killers } : await hunt(killers)
    log(mutant, verdict, Math.round(performance.now() - startedAt))
    if ((verdict.kind === 'survived') === survivors.has(mutant.id)) continue
    wrong.push(verdict.kind === 'survived' ? `not found: ${mutant.id}` : `listed, but found: ${mutant.id}`)
  }
  return wrong
}

/** The listed survivors that no longer name a mutant. */
export function formerSurvivors(engine: Engine, mutants: readonly Mutant[]): string[] {
  const ids = new Set(mutants.map(({ id }) => id))
  return [...survivorsOf(engine)].filter((id) => !ids.has(id))
}

function openLog(engine: Engine): (mutant: Mutant, verdict: Verdict, tookMs: number) => void {
  const folder = join(root, '.cache/mutants')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${engine}.tsv`)
  writeFileSync(file, '')
  return ({ id }, verdict, tookMs) => {
    const by = verdict.kind === 'killed' ? verdict.by : ''
    const found = verdict.kind === 'survived' ? '' : verdict.found.split('\n', 1)[0]
    appendFileSync(file, `${[id, verdict.kind, by, tookMs, found].join('\t')}\n`)
  }
}
