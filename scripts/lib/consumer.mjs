// Packed packages, and the programs of others that install them.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { pinnedPnpm } from './pinned-pnpm.mjs'
import { publishedPackages, root } from './workspace.mjs'

export const tarballs = `${root}.cache/tarballs/`

/** Runs a program and returns its output; throws with that output when it fails. */
export function run([program, ...args], cwd = root, env = {}) {
  try {
    return execFileSync(program, args, {
      cwd,
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...env },
    })
  } catch (error) {
    throw new Error(`${program} ${args.join(' ')}\n${error.stdout ?? ''}${error.stderr ?? error.message}`)
  }
}

/** Runs a check and says how it ended. If it fails, so does the program in the end. */
export async function step(title, check) {
  try {
    await check()
    console.log(`passed  ${title}`)
  } catch (error) {
    process.exitCode = 1
    console.log(`FAILED  ${title}\n${error.message}`)
  }
}

/** The version of a dependency that the lock file chose for a folder of the workspace. */
export function installedVersion(dependency, folder = '') {
  return JSON.parse(readFileSync(`${root}${folder}node_modules/${dependency}/package.json`, 'utf8')).version
}

/** Of all packages, which have one. */
export const { version } = JSON.parse(readFileSync(`${root}packages/core/package.json`, 'utf8'))

/** An empty folder for a project that gets our packages from that registry, and others from where they always come from. */
export function emptyProject(name, registry) {
  const folder = `${root}.cache/consumers/${name}/`
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(`${folder}.npmrc`, `@holdfast:registry=${registry}\n`)
  return folder
}

/**
 * A project of its own, with packages of ours by their names, and what else it depends on. Returns its folder.
 *
 * @param source - its files, a folder of test/consumers; without it there are none
 * @param ours - the packages of ours that it installs, all by default
 */
export function installConsumer(
  name,
  { source, registry, ours = publishedPackages, dependencies = {}, ...manifest },
) {
  const folder = emptyProject(name, registry)
  if (source) cpSync(`${root}test/consumers/${source}`, folder, { recursive: true })
  const own = Object.fromEntries(ours.map((each) => [`@holdfast/${each}`, version]))
  const whole = { private: true, type: 'module', dependencies: { ...own, ...dependencies }, ...manifest }
  writeFileSync(`${folder}package.json`, JSON.stringify(whole, null, 2))
  run([...pinnedPnpm(), 'install', '--ignore-workspace', '--prefer-offline', '--no-lockfile'], folder)
  return folder
}
