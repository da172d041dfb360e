// What every script needs to know about this repository: where it is, what it publishes, and which pnpm it uses.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Leaves first, so that a package comes after what it depends on. */
export const publishedPackages = [
  'watchdog',
  'pubsub',
  'core',
  'memory',
  'postgres',
  'metrics',
  'otel',
  'prometheus',
  'dashboard',
  'cli',
]

/** Those that programs import; the others have a command only, and no CommonJS build. */
export const libraries = publishedPackages.filter((name) => name !== 'cli')

/** The pages that each of them ships. */
export const packagePages = ['README.md', 'CHANGELOG.md']

/**
 * The command that starts the pinned pnpm, as program and first arguments.
 * Inside a pnpm script that very pnpm is used again; anywhere else npx fetches the pinned version.
 */
export function pinnedPnpm() {
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const [, version] = /^pnpm@([^+]+)/.exec(packageManager)
  const { npm_config_user_agent: agent = '', npm_execpath: entry = '' } = process.env
  if (agent.startsWith(`pnpm/${version} `) && /pnpm\.[cm]?js$/.test(entry)) return [process.execPath, entry]
  return ['npx', '--yes', `pnpm@${version}`]
}
