// Usage: node scripts/embed-page.mjs
// Bundles the dashboard's page into one TypeScript module, so that the package needs no files and no dependencies at run time. Git leaves it
// alone: the build makes it, and Jest before it runs.
import { createRequire } from 'node:module'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { pageModule } from './lib/page-module.mjs'
import { root } from './lib/workspace.mjs'

const folder = `${root}packages/cli/`
const target = `${folder}src/dashboard/assets/generated.ts`
const { build } = createRequire(`${folder}package.json`)('esbuild')

const text = await pageModule(`${folder}page/`, build)
// The compiler leaves out what has not changed.
if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}
