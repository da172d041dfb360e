// Assembles the scripts of a folder of Lua files from the parts that they include.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, posix, sep } from 'node:path'

export class LuaError extends Error {}

/** The files of the folder that are scripts, sorted: all but those in a folder named `includes`. */
export function scriptFiles(folder) {
  return readdirSync(folder, { recursive: true })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.lua') && !file.split('/').includes('includes'))
    .sort()
}

/** `redisson/lock/acquire.lua` becomes `redissonLockAcquire`. */
export function scriptName(file) {
  return file.slice(0, -'.lua'.length).replace(/[-/](\w)/g, (_, letter) => letter.toUpperCase())
}

/**
 * The statements of one file as the script takes it in: included files in place of their `--@include name` line, without
 * comment lines, blank lines and indentation. An include is looked up in `includes` beside the script, whichever file
 * names it, then in `includes` of the folder.
 *
 * Throws `LuaError` for what it cannot resolve or embed.
 *
 * @param chain - the files that led to this one, the script first; the file itself comes last
 * @param onInclude - called with each included file
 */
export function statements(folder, chain, onInclude = () => {}) {
  const script = chain[0]
  const file = chain.at(-1)
  const fail = (reason, line) => {
    throw new LuaError(`${basename(folder)}/${file}${line ? `:${line}` : ''}: ${reason}`)
  }
  const result = []
  let inBlockComment = false
  for (const [index, rawLine] of readFileSync(join(folder, file), 'utf8').split(/\r?\n/).entries()) {
    const line = rawLine.trim()
    const refuse = (reason) => fail(reason, index + 1)
    const name = /^--@include\s+(\S+)$/.exec(line)?.[1]
    if (inBlockComment || line.startsWith('--[[')) {
      const end = line.indexOf(']]')
      inBlockComment = end === -1
      if (!inBlockComment && end + 2 < line.length) refuse('statement behind the end of a block comment')
    } else if (name !== undefined) {
      const include = findInclude(folder, script, name) ?? refuse(`unknown include "${name}"`)
      const start = chain.indexOf(include)
      if (start !== -1) refuse(`include cycle: ${[...chain.slice(start), include].join(' -> ')}`)
      onInclude(include)
      result.push(...statements(folder, [...chain, include], onInclude))
    } else if (line.startsWith('--@')) {
      refuse(`unknown directive "${line}"`)
    } else if (line !== '' && !line.startsWith('--')) {
      // Strings over several lines would lose their indentation.
      if (/\[=*\[/.test(line) || line.endsWith('\\'))
        refuse('long brackets and continued strings are not supported')
      result.push(line)
    }
  }
  if (inBlockComment) fail('block comment without an end')
  return result
}

function findInclude(folder, script, name) {
  return [posix.join(posix.dirname(script), 'includes'), 'includes']
    .map((place) => `${place}/${name}.lua`)
    .find((file) => existsSync(join(folder, file)))
}
