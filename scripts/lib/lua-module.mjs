// The TypeScript module that carries scripts of a folder, so that nothing reads files at run time.
import { createHash } from 'node:crypto'
import { LuaError, pieces, scriptFamily, scriptFiles, scriptName } from './lua-folder.mjs'

/**
 * The text of the module. Scripts that include the same share its text, and are joined when a server needs them.
 * Throws `LuaError` when a script cannot be embedded.
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
    const texts = pieces(folder, [file], undefined, read)
    if (texts.length === 0) throw new LuaError(`${file} has no statements`)
    scripts.set(name, { family: scriptFamily(file), texts, lua: texts.join('\n') })
  }
  return scripts
}

function moduleText(scripts, typeModule) {
  const names = scripts.map(([name]) => `'${name}'`).join(' | ') || 'never'
  const shared = [...new Set(scripts.flatMap(([, { texts }]) => texts))]
  const entries = scripts.map(([name, { family, texts, lua }]) => {
    const sha1 = createHash('sha1').update(lua).digest('hex')
    const places = texts.map((text) => shared.indexOf(text)).join(', ')
    return `  ${name}: new Script('${name}', '${family}', '${sha1}', pieces, [${places}]),\n`
  })
  return `// DO NOT EDIT: written from lua/ by \`pnpm generate\`.

import { Script } from '${typeModule}'

export type ScriptName = ${names}

const pieces: readonly string[] = [
${shared.map((text) => `\`${text.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)}\`,\n`).join('')}]

export const scripts: Readonly<Record<ScriptName, Script>> = {
${entries.join('')}}
`
}
