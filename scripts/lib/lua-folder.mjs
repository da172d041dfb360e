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

/** The folder that a script is in: `lock` for `redisson/lock/acquire.lua`. */
export const scriptFamily = (file) => file.split('/').at(-2) ?? ''

/**
 * The statements of one file as the script takes it in: included files in place of their `--@include path` line, without
 * comment lines, blank lines and indentation. `./name` and `../name` are relative to the file that includes, other names to the folder.
 *
 * Throws `LuaError` for what it cannot resolve or embed.
 *
 * @param chain - the files that led to this one, the script first; the file itself comes last
 * @param onInclude - called with each included file and the one that names it
 * @param read - returns the text of a file
 */
export const statements = (folder, chain, onInclude, read) =>
  pieces(folder, chain, onInclude, read).flatMap((piece) => piece.split('\n'))

/** The same in pieces: of each file what stands between two lines that include another. */
export function pieces(
  folder,
  chain,
  onInclude = () => {},
  read = (file) => readFileSync(join(folder, file), 'utf8'),
) {
  const file = chain.at(-1)
  const fail = (reason, line) => {
    throw new LuaError(`${basename(folder)}/${file}${line ? `:${line}` : ''}: ${reason}`)
  }
  const result = []
  let piece = []
  const endPiece = () => {
    if (piece.length > 0) result.push(piece.join('\n'))
    piece = []
  }
  let inBlockComment = false
  for (const [index, rawLine] of read(file).split(/\r?\n/).entries()) {
    const line = rawLine.trim()
    const refuse = (reason) => fail(reason, index + 1)
    const path = /^--@include\s+(\S+)$/.exec(line)?.[1]
    if (inBlockComment || line.startsWith('--[[')) {
      const end = line.indexOf(']]')
      inBlockComment = end === -1
      if (!inBlockComment && end + 2 < line.length) refuse('statement behind the end of a block comment')
    } else if (path !== undefined) {
      const include = `${path.startsWith('.') ? posix.join(posix.dirname(file), path) : path}.lua`
      if (!existsSync(join(folder, include))) refuse(`unknown include "${path}"`)
      const start = chain.indexOf(include)
      if (start !== -1) refuse(`include cycle: ${[...chain.slice(start), include].join(' -> ')}`)
      onInclude(include, file)
      endPiece()
      result.push(...pieces(folder, [...chain, include], onInclude, read))
    } else if (line.startsWith('--@')) {
      refuse(`unknown directive "${line}"`)
    } else if (line !== '' && !line.startsWith('--')) {
      // Strings over several lines would lose their indentation.
      if (/\[=*\[/.test(line) || line.endsWith('\\'))
        refuse('long brackets and continued strings are not supported')
      piece.push(line)
    }
  }
  if (inBlockComment) fail('block comment without an end')
  endPiece()
  return result
}
