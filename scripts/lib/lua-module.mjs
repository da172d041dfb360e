// The TypeScript module that carries the scripts of a folder, so that nothing reads files at run time.
import { createHash } from 'node:crypto'
import { LuaError, scriptFiles, scriptName, statements } from './lua-folder.mjs'

/** The text of the module. Throws `LuaError` when a script cannot be embedded. */
export function luaModule(folder) {
  const scripts = new Map()
  for (const file of scriptFiles(folder)) {
    const name = scriptName(file)
    if (scripts.has(name)) throw new LuaError(`two scripts are named ${name}, one of them is ${file}`)
    const lua = statements(folder, [file]).join('\n')
    if (lua === '') throw new LuaError(`${file} has no statements`)
    scripts.set(name, lua)
  }
  return moduleText([...scripts])
}

function moduleText(scripts) {
  const names = scripts.map(([name]) => `'${name}'`).join(' | ') || 'never'
  const entries = scripts.map(([name, lua]) => {
    const sha1 = createHash('sha1').update(lua).digest('hex')
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
