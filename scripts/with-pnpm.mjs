// Usage: node scripts/with-pnpm.mjs [script [arguments…]]
// Installs the dependencies if they differ from those in the lock file, then runs the script with the pinned
// pnpm. Node and npm are enough. Without a script it only installs.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { pinnedPnpm, withPinnedPnpm } from './lib/pinned-pnpm.mjs'
import { runInGroup } from './lib/run-in-group.mjs'
import { root } from './lib/workspace.mjs'

const stampFile = `${root}node_modules/.installed-for`
// npm and pnpm would announce new versions, and warn about user settings that are not their own.
const quiet = {
  npm_config_update_notifier: 'false',
  npm_config_loglevel: 'error',
  npm_config_progress: 'false',
}

/** Some dependencies are native, so a tree that is shared between machines needs the platform in its stamp. */
function wantedStamp() {
  const lockFile = readFileSync(`${root}pnpm-lock.yaml`)
  return `${createHash('sha256').update(lockFile).digest('hex')} ${process.platform}-${process.arch}\n`
}

async function install(script) {
  const stamp = wantedStamp()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return 0
  console.error('Installing dependencies, this once …')
  const [pnpm, env] = [pinnedPnpm(), withPinnedPnpm({ ...process.env, ...quiet })]
  // The level that keeps the rest quiet would silence its progress, too.
  const reports = ['--loglevel=info', ...(process.stderr.isTTY ? [] : ['--reporter=append-only'])]
  // A node_modules that another package manager left is replaced without asking: there may be no one to answer.
  const install = ['install', '--frozen-lockfile', '--config.confirm-modules-purge=false', ...reports]
  const code = await runInGroup([...pnpm, ...install], { env, cwd: root })
  if (code !== 0) return code
  writeFileSync(stampFile, stamp)
  console.error(
    script === 'build' ? 'Installed. Building, which takes longest the first time …' : 'Installed.',
  )
  return 0
}

const [script, ...args] = process.argv.slice(2)
let code = await install(script)
if (code === 0 && script !== undefined) {
  const env = withPinnedPnpm({ ...process.env, ...quiet })
  code = await runInGroup([...pinnedPnpm(), '--silent', 'run', script, ...args], { env, cwd: root })
}
process.exitCode = code
