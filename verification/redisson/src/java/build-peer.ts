import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { requireJava } from './find-java.js'
import type { RedissonVersion } from './versions.js'

const run = promisify(execFile)

const project = fileURLToPath(new URL('../../peer/', import.meta.url))
const cacheFolder = fileURLToPath(new URL('../../../../.cache/interop/', import.meta.url))

/**
 * The path of the peer's runnable jar with that version of Redisson. Built on the first call and whenever its sources
 * have changed: takes a few seconds, and a download the first time.
 *
 * Throws `NoJavaError` where there is no JDK or Maven.
 */
export async function buildPeer(version: RedissonVersion): Promise<string> {
  await requireJava()
  const folder = join(cacheFolder, version)
  const stampFile = join(folder, 'built-from')
  const stamp = await stampOfSources()
  const isBuilt = (await readFile(stampFile, 'utf8').catch(() => '')) === stamp
  if (!isBuilt) {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await build(version, folder)
    await writeFile(stampFile, stamp)
  }
  return join(folder, 'peer.jar')
}

async function build(version: RedissonVersion, folder: string): Promise<void> {
  const settings = [`-Dredisson.version=${version}`, `-Dbuild.folder=${folder}`]
  try {
    await run('mvn', ['--quiet', '--batch-mode', '--file', join(project, 'pom.xml'), 'package', ...settings])
  } catch (error) {
    const output =
      typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : ''
    throw new Error(`Maven could not build the peer with Redisson ${version}\n${output}`, { cause: error })
  }
}

async function stampOfSources(): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(project, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && /\.(java|xml)$/.test(entry.name))
  for (const path of files.map((file) => join(file.parentPath, file.name)).sort()) {
    hash.update(path).update(await readFile(path))
  }
  return hash.digest('hex')
}
