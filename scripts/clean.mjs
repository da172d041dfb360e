// Removes what `npm run build` writes, and the compiler's cache: it would not write again what it believes is there.
import { readdirSync, rmSync } from 'node:fs'
import { root } from './lib/workspace.mjs'

const packages = ['packages', 'verification'].flatMap((parent) =>
  readdirSync(`${root}${parent}`).map((name) => `${parent}/${name}`),
)
for (const folder of [...packages, 'bench', 'examples'])
  for (const output of ['build', 'dist'])
    rmSync(`${root}${folder}/${output}`, { recursive: true, force: true })
rmSync(`${root}.cache/tsc`, { recursive: true, force: true })
