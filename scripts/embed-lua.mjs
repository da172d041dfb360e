// Usage: node scripts/embed-lua.mjs [--check]
// Embeds lua/ into one TypeScript module. With --check it writes nothing and fails when the committed module is not what
// it would write.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { LuaError } from './lib/lua-folder.mjs'
import { luaModule } from './lib/lua-module.mjs'
import { root } from './lib/workspace.mjs'

const target = 'packages/core/src/redis/scripts/generated.ts'

try {
  const text = luaModule(`${root}lua`)
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
} catch (error) {
  if (!(error instanceof LuaError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
