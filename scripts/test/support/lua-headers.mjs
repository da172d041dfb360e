import { readdirSync, readFileSync } from 'node:fs'
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

/** What each script includes before anything else, for all its includes. */
const isInAll = (name) => name === 'call'

/** By include, what its code reads and sets, its own includes resolved. */
export function usedNames(folder) {
  const includes = new Set()
  for (const script of scriptFiles(folder)) statements(folder, [script], (include) => includes.add(include))
  return new Map(
    [...includes].map((include) => {
      const { read, assigned, declared } = namesOf(statements(folder, [include]).join('\n'))
      const reads = [...read].filter((name) => !isGlobal(name) && !isInAll(name))
      return [include, { reads, sets: [...new Set([...declared, ...assigned])] }]
    }),
  )
}

/** By include, how many lines of the folder's files name it. */
export function timesNamed(folder) {
  const times = new Map()
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith('.lua'))
  for (const file of files) {
    statements(folder, [file], (include, by) => {
      if (by === file) times.set(include, (times.get(include) ?? 0) + 1)
    })
  }
  return times
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
