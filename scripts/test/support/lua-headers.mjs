import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { scriptFiles, statements } from '../../lib/lua-folder.mjs'
import { isGlobal, namesOf } from './lua-names.mjs'

/** What the last two comment lines above the code of an include say, or `undefined` where they are not in that form. */
export function documentedNames(folder, include) {
  const text = readFileSync(join(folder, include), 'utf8')
  const [, reads, sets] = /^(?:-- .*\n|--\n)*-- Reads: (.+)\n-- Sets: {2}(.+)\n(?!-- )/.exec(text) ?? []
  return reads === undefined ? undefined : { reads: listOf(reads), sets: listOf(sets) }
}

const listOf = (text) => (text === 'nothing' ? [] : text.split(' '))

/** An include may end a loop that is not its own. */
const withoutBreaks = (lines) => lines.map((line) => (line === 'break' ? 'do end' : line)).join('\n')

/** What each script includes before anything else, for all its includes. */
const isInAll = (name) => name === 'call'

/**
 * By include, what its code reads and sets, its own includes resolved. An include of an include may differ by script:
 * then it is what any of them reads and sets.
 */
export function usedNames(folder) {
  const used = new Map()
  for (const script of scriptFiles(folder)) {
    const includes = new Set()
    statements(folder, [script], (include) => includes.add(include))
    for (const include of includes) {
      const { read, assigned, declared } = namesOf(withoutBreaks(statements(folder, [script, include])))
      const names = used.get(include) ?? { reads: new Set(), sets: new Set() }
      for (const name of read) if (!isGlobal(name) && !isInAll(name)) names.reads.add(name)
      for (const name of [...declared, ...assigned]) names.sets.add(name)
      used.set(include, names)
    }
  }
  return new Map(
    [...used].map(([include, { reads, sets }]) => [include, { reads: [...reads], sets: [...sets] }]),
  )
}

/** The indices of `KEYS` or `ARGV` that a header lists, such as `1`, `2i - 1` or `3…`. */
export function documentedIndices(header, list) {
  return [...header.matchAll(new RegExp(`^  ${list}\\[(.+?)\\] `, 'gm'))].map(([, index]) => index)
}

/** The indices that code uses, in the form of a header. */
export function usedIndices(code, list) {
  const indices = [...code.matchAll(new RegExp(`\\b${list}\\[(.+?)\\]`, 'g'))].map(([, index]) =>
    index.replace(/(\d) \* i/, '$1i'),
  )
  const [, from] = new RegExp(`unpack\\(${list}, (\\d+)\\)`).exec(code) ?? []
  if (from) indices.push(`${from}…`)
  if (code.includes(`ipairs(${list})`)) indices.push('i')
  return [...new Set(indices)]
}
