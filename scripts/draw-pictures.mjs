// Usage: node scripts/draw-pictures.mjs [--check]
// Draws the pictures of the documentation. With --check it writes nothing and fails when a committed picture is not what it would draw.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { picture } from './lib/picture.mjs'
import { pictures } from './lib/pictures.mjs'
import { root } from './lib/workspace.mjs'

for (const [name, what] of Object.entries(pictures)) {
  const file = `docs/images/${name}.svg`
  const drawn = picture(what)
  if (existsSync(root + file) && readFileSync(root + file, 'utf8') === drawn) continue
  if (process.argv.includes('--check')) {
    console.error(
      `${file} is not what scripts/lib/pictures.mjs describes. Run \`pnpm generate\` and commit the result.`,
    )
    process.exitCode = 1
  } else {
    writeFileSync(root + file, drawn)
    console.log(`${file} written`)
  }
}
