// The packages are ESM by their package.json; this marks the second build as CommonJS for Node and TypeScript.
import { writeFileSync } from 'node:fs'
import { folderOf, libraries, root } from './lib/workspace.mjs'

for (const name of libraries) {
  writeFileSync(`${root}${folderOf(name)}/dist/cjs/package.json`, '{"type":"commonjs"}\n')
}
