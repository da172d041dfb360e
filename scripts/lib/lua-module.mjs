// The TypeScript module that carries scripts of a folder, so that nothing reads files at run time.
import { createHash } from 'node:crypto'
import { LuaError, pieces, scriptFamily, scriptFiles, scriptName } from './lua-folder.mjs'

/**
 * The text of the module. What several scripts include is in it once, and scripts are joined when a server needs them. Bundlers leave out
 * scripts of groups that a program does not use. Throws `LuaError` when a script cannot be embedded.
 *
 * @param isPart - whether the module has the script of this file
 * @param typeModule - what it imports the type of a script from
 * @param groups - the families of each further export, which has some of the scripts; none by default
 */
export const luaModule = (folder, isPart, typeModule, groups = {}) =>
  moduleText([...scriptsOf(folder, isPart)], typeModule, groups)

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

function moduleText(scripts, typeModule, groups) {
  const names = scripts.map(([name]) => `'${name}'`).join(' | ') || 'never'
  const shared = [...new Set(scripts.flatMap(([, { texts }]) => texts))]
  const pieces = shared.map(
    (text, i) => `const p${i} = \`${text.replace(/[\\`]|\$\{/g, (special) => `\\${special}`)}\`\n`,
  )
  const entryOf = ([name, { family, texts, lua }]) => {
    const sha1 = createHash('sha1').update(lua).digest('hex')
    const of = texts.map((text) => `p${shared.indexOf(text)}`).join(', ')
    return `  ${name}: /* @__PURE__ */ new Script('${name}', '${family}', '${sha1}', [${of}]),\n`
  }
  const objects = Object.entries(groups).map(
    ([group, families]) =>
      `export const ${group} = {\n${scripts
        .filter(([, { family }]) => families.includes(family))
        .map(entryOf)
        .join('')}}\n`,
  )
  const grouped = Object.values(groups).flat()
  const others = scripts.filter(([, { family }]) => !grouped.includes(family)).map(entryOf)
  const own = `{\n${others.join('')}}`
  // Not by spreading: bundlers keep that, even if no one uses the whole.
  const all =
    objects.length === 0 ? own : `/* @__PURE__ */ Object.assign(${[own, ...Object.keys(groups)].join(', ')})`
  return `// DO NOT EDIT: the build makes this of lua/.

import { Script } from '${typeModule}'

export type ScriptName = ${names}

${pieces.join('')}
${objects.map((text) => `${text}\n`).join('')}export const scripts: Readonly<Record<ScriptName, Script>> = ${all}
`
}
