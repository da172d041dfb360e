// The pnpm that package.json pins, by version and by hash. `npx pnpm@x` would run whatever the registry hands out as x.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { root } from './workspace.mjs'

/** The parts of `pnpm@10.1.0+sha512.4f…`, as corepack reads it: the hash is that of the tarball, in hexadecimal. */
function parsePin(packageManager) {
  const [, version, hash] = /^pnpm@([\d.]+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? []
  if (hash === undefined)
    throw new Error(`packageManager must be "pnpm@<version>+sha512.<hash>", not "${packageManager}"`)
  return { version, hash }
}

const pinnedHere = () => parsePin(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).packageManager)

/** Downloads the tarball through npm, with its registry and its cache, and unpacks it if its bytes are the pinned ones. */
function fetchInto(folder, { version, hash }, env) {
  mkdirSync(folder, { recursive: true })
  // Two commands may come here at once: each fetches into a folder of its own, and the first to finish gives it its name.
  const own = mkdtempSync(join(folder, 'fetch-'))
  try {
    const pack = ['pack', '--silent', '--ignore-scripts', '--prefer-offline', '--pack-destination', own]
    execFileSync('npm', [...pack, `pnpm@${version}`], {
      cwd: own,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const tarball = join(own, `pnpm-${version}.tgz`)
    const actual = createHash('sha512').update(readFileSync(tarball)).digest('hex')
    if (actual !== hash)
      throw new Error(
        `The registry's pnpm ${version} is not the one that package.json pins: its SHA-512 is ${actual}, not ${hash}. ` +
          'Nothing of it was run. Find out which registry npm uses (npm config get registry) and why it differs.',
      )
    execFileSync('tar', ['-xzf', tarball, '-C', own])
    // Scripts call `pnpm` by its name.
    symlinkSync('package/bin/pnpm.cjs', join(own, 'pnpm'))
    if (!existsSync(join(folder, hash))) renameSync(own, join(folder, hash))
  } finally {
    rmSync(own, { recursive: true, force: true })
  }
}

/**
 * The folder with the pinned pnpm, fetched and verified if it is not there.
 *
 * @param folder - where each version is kept, under its hash
 * @throws if what the registry offers has another hash
 */
function verifiedPnpm({ pin = pinnedHere(), folder = `${root}.cache/pnpm`, env = process.env } = {}) {
  if (!existsSync(join(folder, pin.hash))) fetchInto(folder, pin, env)
  return join(folder, pin.hash)
}

/** The command that starts the pinned pnpm, as program and first arguments. Inside its scripts, that very pnpm again. */
export function pinnedPnpm() {
  const { npm_config_user_agent: agent = '', npm_execpath: entry = '' } = process.env
  if (agent.startsWith(`pnpm/${pinnedHere().version} `) && /pnpm\.[cm]?js$/.test(entry))
    return [process.execPath, entry]
  return [process.execPath, join(verifiedPnpm(), 'package/bin/pnpm.cjs')]
}

/** An environment in which scripts that call `pnpm` get the pinned one, whatever else is installed. */
export function withPinnedPnpm(env) {
  return { ...env, PATH: `${verifiedPnpm()}${delimiter}${env.PATH}` }
}
