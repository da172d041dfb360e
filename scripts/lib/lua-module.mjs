// The TypeScript module that carries scripts of a folder, so that nothing reads files at run time.
import { createHash } from 'node:crypto'
import { LuaError, scriptFamily, scriptFiles, scriptName, statements } from './lua-folder.mjs'

/**
 * The text of the module. Throws `LuaError` when a script cannot be embedded.
 *
 * @param isPart - whether the module has the script of this file
 * @param typeModule - what it imports the type of a script from
 */
export const luaModule = (folder, isPart, typeModule) =>
  moduleText([...scriptsOf(folder, isPart)], typeModule)

/**
 * The text of each script by its name. Throws `LuaError` when one cannot be embedded.
 *
 * @param read - returns the text of a file, where that is not what the folder has
 */
export const scriptTexts = (folder, read) =>
  new Map([...scriptsOf(folder, () => true, read)].map(([name, { lua }]) => [name, lua]))

function scriptsOf(folder, isPart, read) {
  const scripts = new Map()
  for (const file of scriptFiles(folder).filter(isPart)) {
    const name = scriptName(file)
    if (scripts.has(name)) throw new LuaError(`two scripts are named ${name}, one of them is ${file}`)
    const lua = statements(folder, [file], undefined, read).join('\n')
    if (lua === '') throw new LuaError(`${file} has no statements`)
    scripts.set(name, { family: scriptFamily(file), lua })
  }
  return scripts
}

function moduleText(scripts, typeModule) {
  const names = scripts.map(([name]) => `'${name}'`).join(' | ') || 'never'
  const entries = scripts.map(([name, { family, lua }]) => {
    const sha1 = createHash('sha1').update(lua).digest('hex')
    const literal = lua.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)
    return `  ${name}: {\n    name: '${name}',\n    family: '${family}',\n    sha1: '${sha1}',\n    lua: \`${literal}\`,\n  },\n`
  })
  return `// DO NOT EDIT: written from lua/ by \`pnpm generate\`.

import type { Script } from '${typeModule}'

export type ScriptName = ${names}

export const scripts: Readonly<Record<ScriptName, Script>> = {
${entries.join('')}}
`
}
