// Usage: node scripts/embed-page.mjs [--check]
// Bundles the dashboard's page into one TypeScript module, so that the package needs no files and no dependencies at run time. With
// --check it writes nothing and fails when the committed module is not what it would write.
import { createRequire } from 'node:module'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pageModule } from './lib/page-module.mjs'
import { root } from './lib/workspace.mjs'

const folder = `${root}packages/cli/`
const target = 'packages/cli/src/dashboard/assets/generated.ts'
const { build } = createRequire(`${folder}package.json`)('esbuild')

const text = await pageModule(`${folder}page/`, build)
const committed = existsSync(root + target) ? readFileSync(root + target, 'utf8') : undefined
if (text === committed) {
  console.log(`${target} is up to date`)
} else if (process.argv.includes('--check')) {
  console.error(`${target} does not match packages/cli/page/. Run \`pnpm generate\` and commit the result.`)
  process.exitCode = 1
} else {
  writeFileSync(root + target, text)
  console.log(`${target} written`)
}
