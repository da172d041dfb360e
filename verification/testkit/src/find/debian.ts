import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { probeBinary } from './probe-binary.js'
import type { RedisBinary } from './redis-binary.js'
import type { RedisSource } from './redis-source.js'

const run = promisify(execFile)

/** Debian's and Ubuntu's package, unpacked into the user's cache folder. `null` where there is no apt, or no such package. */
export async function redisFromDebian(): Promise<RedisSource | null> {
  const binary = await unpackDebianRedis(cacheFolder('redis'))
  return binary && { kind: 'binary', binary }
}

/** The server unpacked in that folder; downloads Debian's packages into it if it is not there yet. */
export const unpackDebianRedis = (folder: string): Promise<RedisBinary | null> =>
  unpackDebian(
    folder,
    ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1'],
    (unpacked, env) => probeBinary(join(unpacked, 'usr/bin/redis-server'), env),
  )

/**
 * A program of Debian's packages, unpacked in that folder and not installed; downloads them into it if they are not there yet. `null` where
 * there is no apt, or no such package.
 *
 * @param names - the program's, and those of the libraries that it needs; those that a release does not have are skipped
 * @param probe - finds the program below a folder, in an environment with its libraries
 */
export async function unpackDebian<T>(
  folder: string,
  names: readonly string[],
  probe: (folder: string, env: Readonly<Record<string, string>>) => Promise<T | null>,
): Promise<T | null> {
  const probeUnpacked = async (unpacked: string): Promise<T | null> =>
    probe(unpacked, { LD_LIBRARY_PATH: (await librariesIn(unpacked)).join(':') })
  const cached = await probeUnpacked(folder)
  if (cached) return cached
  if (process.platform !== 'linux' || !(await hasApt())) return null
  await mkdir(dirname(folder), { recursive: true })
  // Unpacked elsewhere and moved into place, so that concurrent runs never see an incomplete server.
  const fresh = await mkdtemp(`${folder}.`)
  try {
    await download(names, fresh)
    for (const file of await readdir(fresh)) {
      if (file.endsWith('.deb')) await run('dpkg', ['-x', join(fresh, file), fresh])
    }
    if (!(await probeUnpacked(fresh))) return null
    await rm(folder, { recursive: true, force: true })
    await rename(fresh, folder)
    return await probeUnpacked(folder)
  } catch {
    // A concurrent run was faster.
    return await probeUnpacked(folder)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** Where programs are unpacked that are not installed. */
export function cacheFolder(name: string): string {
  const cache = process.env['XDG_CACHE_HOME']
  return join(cache || join(homedir(), '.cache'), 'holdfast', name)
}

async function hasApt(): Promise<boolean> {
  try {
    await run('apt-get', ['--version'])
    return true
  } catch {
    return false
  }
}

/**
 * Downloads packages into a folder, without the rights of root and without a trace in the system.
 *
 * Releases differ in which libraries exist and are needed; whether the server starts shows if they suffice.
 */
async function download(names: readonly string[], folder: string): Promise<void> {
  const downloadAll = async (options: readonly string[]): Promise<void> => {
    for (const name of names) {
      await run('apt-get', [...options, 'download', name], { cwd: folder }).catch(() => undefined)
    }
  }
  await downloadAll([])
  if ((await readdir(folder)).some((file) => file.startsWith(`${names[0]}_`))) return
  // A new container image comes without package lists, and those of a machine may be old.
  const apt = join(folder, 'apt')
  await mkdir(join(apt, 'lists/partial'), { recursive: true })
  await mkdir(join(apt, 'archives/partial'), { recursive: true })
  const own = ['State', 'Cache'].flatMap((kind) => ['-o', `Dir::${kind}=${apt}`])
  await run('apt-get', [...own, 'update'])
  await downloadAll(own)
  await rm(apt, { recursive: true })
}

async function librariesIn(folder: string): Promise<string[]> {
  const libraries: string[] = []
  for (const parent of ['usr/lib', 'lib']) {
    const entries = await readdir(join(folder, parent), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name.includes('-linux-'))
        libraries.push(join(folder, parent, entry.name))
    }
  }
  return libraries
}
