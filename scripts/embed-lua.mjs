// Usage: node scripts/embed-lua.mjs
// Embeds lua/ into TypeScript modules, which git leaves alone: the build makes them, and Jest before it runs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
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
  // The compiler leaves out what has not changed.
  if (existsSync(root + target) && readFileSync(root + target, 'utf8') === text) return
  writeFileSync(root + target, text)
}

try {
  modules.forEach(embed)
} catch (error) {
  if (!(error instanceof LuaError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
