// Usage: node scripts/embed-lua.mjs [--check]
// Turns lua/**/*.lua (but for includes) into one TypeScript module, so that nothing reads files at run time. With --check
// it writes nothing and fails when the committed module is not what it would write.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, posix, sep } from 'node:path'
import { root } from './lib/workspace.mjs'

const sources = `${root}lua/`
const target = 'packages/core/src/redis/scripts/generated.ts'

class LuaError extends Error {}

/** Where a script's includes are, also those of its includes: beside the script, else in `lua/includes`. */
function findInclude(script, name) {
  const places = [posix.join(posix.dirname(script), 'includes'), 'includes']
  return places.map((folder) => `${folder}/${name}.lua`).find((file) => existsSync(sources + file))
}

/**
 * The statements of one file: included files in place of their `--@include name` line, without comment lines, blank
 * lines and indentation. Includes may nest.
 */
function statements(script, file = script) {
  if (!existsSync(sources + file)) throw new LuaError(`lua/${file} does not exist`)
  const result = []
  let inBlockComment = false
  for (const [index, rawLine] of readFileSync(sources + file, 'utf8')
    .split(/\r?\n/)
    .entries()) {
    const line = rawLine.trim()
    const refuse = (reason) => {
      throw new LuaError(`lua/${file}:${index + 1}: ${reason}`)
    }
    const include = /^--@include\s+(\S+)$/.exec(line)?.[1]
    if (inBlockComment || line.startsWith('--[[')) {
      const end = line.indexOf(']]')
      inBlockComment = end === -1
      if (!inBlockComment && end + 2 < line.length) refuse('statement behind the end of a block comment')
    } else if (include !== undefined) {
      const found = findInclude(script, include) ?? refuse(`unknown include "${include}"`)
      result.push(...statements(script, found))
    } else if (line.startsWith('--@')) {
      refuse(`unknown directive "${line}"`)
    } else if (line !== '' && !line.startsWith('--')) {
      // Strings over several lines would lose their indentation.
      if (/\[=*\[/.test(line) || line.endsWith('\\'))
        refuse('long brackets and continued strings are not supported')
      result.push(line)
    }
  }
  if (inBlockComment) throw new LuaError(`lua/${file}: block comment without an end`)
  return result
}

function readScripts() {
  const names = readdirSync(sources, { recursive: true })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.lua') && !/(^|\/)includes\//.test(file))
    .map((file) => file.slice(0, -'.lua'.length))
    .sort()
  return names.map((fileName) => {
    const lua = statements(`${fileName}.lua`).join('\n')
    if (lua === '') throw new LuaError(`lua/${fileName}.lua has no statements`)
    return {
      name: fileName.replace(/[-/](\w)/g, (_, letter) => letter.toUpperCase()),
      sha1: createHash('sha1').update(lua).digest('hex'),
      lua,
    }
  })
}

function moduleText(scripts) {
  const names = scripts.map(({ name }) => `'${name}'`).join(' | ') || 'never'
  const entries = scripts.map(({ name, sha1, lua }) => {
    const literal = lua.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)
    return `  ${name}: {\n    name: '${name}',\n    sha1: '${sha1}',\n    lua: \`${literal}\`,\n  },\n`
  })
  return `// DO NOT EDIT: written from lua/ by \`pnpm generate\`.

/** One Lua script and the SHA-1 by which a server that has seen it knows it. */
export interface Script {
  readonly name: string
  readonly sha1: string
  readonly lua: string
}

export type ScriptName = ${names}

export const scripts: Readonly<Record<ScriptName, Script>> = {
${entries.join('')}}
`
}

try {
  const text = moduleText(readScripts())
  const committed = existsSync(root + target) ? readFileSync(root + target, 'utf8') : undefined
  if (text === committed) {
    console.log(`${target} is up to date`)
  } else if (process.argv.includes('--check')) {
    console.error(`${target} does not match lua/. Run \`pnpm generate\` and commit the result.`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(root + target), { recursive: true })
    writeFileSync(root + target, text)
    console.log(`${target} written`)
  }
} catch (error) {
  if (!(error instanceof LuaError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
