// Usage: node scripts/run-example.mjs <name> [arguments…]
// Runs one compiled example in this process, so that signals and the exit code are the example's own.
import { existsSync, readdirSync } from 'node:fs'
import { root } from './lib/workspace.mjs'

const names = readdirSync(`${root}examples/src`, { withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => entry.name.slice(0, -'.ts'.length))

const [name = '', ...args] = process.argv.slice(2)
const file = `${root}examples/dist/${name}.js`
if (names.includes(name) && existsSync(file)) {
  process.argv = [process.execPath, file, ...args]
  await import(`../examples/dist/${name}.js`)
} else {
  console.error(
    `${name ? `There is no example "${name}".` : 'Which example?'} There are: ${names.join(', ')}`,
  )
  process.exitCode = 1
}
