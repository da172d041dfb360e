import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../root.js'
import { luaChanges } from './lua-changes.js'
import { mutantsOf, type Mutant } from './mutant.js'

/** What assembles scripts, of the tools of the repository. */
interface Assembler {
  readonly scriptTexts: (folder: string, read: (file: string) => string) => ReadonlyMap<string, string>
}

const folder = join(root, 'lua')
const { scriptTexts } = jest.requireActual<Assembler>(join(root, 'scripts/lib/lua-module.mjs'))

/** What steps never run (the scripts of a client), and what needs Redisson to be tried. */
const apart = /^(client|redisson)\//

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.lua'),
)
const sources = new Map(files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))

/** All mistakes in the Lua files that a step runs. */
export const luaMutants = (): Mutant[] =>
  [...sources]
    .filter(([file]) => !apart.test(file))
    .sort()
    .flatMap(([file, lua]) => mutantsOf(`lua/${file}`, lua, luaChanges(lua)))

/** All scripts, by name, when one of the files is that of the mutant. */
export const scriptsWith = (mutant: Pick<Mutant, 'file' | 'source'>): ReadonlyMap<string, string> =>
  scriptTexts(folder, (file) => (`lua/${file}` === mutant.file ? mutant.source : (sources.get(file) ?? '')))
