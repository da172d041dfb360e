// Usage: node scripts/reference-tables.mjs [--check]
// Writes the tables of docs/ that stand below a `<!-- made: … -->`, from docstrings and definitions of metrics. With --check it writes nothing
// and fails when a page does not have what it would write. Needs a build.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { withTables } from './lib/reference-tables.mjs'
import { root } from './lib/workspace.mjs'

const folder = `${root}docs/`
const style = await resolveConfig(folder)

for (const name of readdirSync(folder, { recursive: true }).filter((each) => each.endsWith('.md'))) {
  const page = readFileSync(folder + name, 'utf8')
  if (!page.includes('<!-- made: ')) continue
  const made = await format(withTables(page), { ...style, parser: 'markdown' })
  if (made === page) continue
  if (process.argv.includes('--check')) {
    console.error(`docs/${name} does not match the code. Run \`npm run generate\` and commit the result.`)
    process.exitCode = 1
  } else {
    writeFileSync(folder + name, made)
    console.log(`docs/${name} written`)
  }
}
