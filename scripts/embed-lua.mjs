// Usage: node scripts/embed-lua.mjs [--check]
// Embeds lua/ into TypeScript modules. With --check it writes nothing and fails when a committed module is not what it would
// write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { LuaError } from './lib/lua-folder.mjs'
import { luaModule } from './lib/lua-module.mjs'
import { root } from './lib/workspace.mjs'

/** Scripts that only some users need are in a module of their own, for the others not to load. */
const modules = [
  {
    target: 'packages/core/src/redis/scripts/generated.ts',
    isPart: (file) => !file.startsWith('redisson/'),
    typeModule: './script.js',
    groups: {
      lockScripts: ['lock', 'client'],
      sharedScripts: ['shared'],
      latchScripts: ['latch'],
      multiScripts: ['multi'],
    },
  },
  {
    target: 'packages/core/src/redis/redisson/generated.ts',
    isPart: (file) => file.startsWith('redisson/'),
    typeModule: '../scripts/script.js',
  },
]

function embed({ target, isPart, typeModule, groups }) {
  const text = luaModule(`${root}lua`, isPart, typeModule, groups)
  const committed = existsSync(root + target) ? readFileSync(root + target, 'utf8') : undefined
  if (text === committed) {
    console.log(`${target} is up to date`)
  } else if (process.argv.includes('--check')) {
    console.error(`${target} does not match lua/. Run \`pnpm generate\` and commit the result.`)
    process.exitCode = 1
  } else {
    mkdirSync(dirname(root + target), { recursive: true })
    writeFileSync(root + target, text)
    console.log(`${target} written`)
  }
}

try {
  modules.forEach(embed)
} catch (error) {
  if (!(error instanceof LuaError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
