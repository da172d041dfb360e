import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, unpackDebian } from '../find/debian.js'
import { NoServerError } from '../find/open-server.js'
import { onPath } from '../find/probe-binary.js'

const run = promisify(execFile)

/** How to get one. */
export const memcachedKind = {
  product: 'memcached',
  variable: ['MEMCACHED_URL', 'memcached://127.0.0.1:11211 (started with -M)'],
  names: ['memcached', 'memcached', 'memcached'],
} as const

export interface MemcachedProgram {
  readonly path: string
  /** What it needs in its environment to run. */
  readonly env: Readonly<Record<string, string>>
}

/** The program on PATH, or the one of Debian's package, which is unpacked into the user's cache folder. */
export async function findMemcached(): Promise<MemcachedProgram> {
  for (const path of onPath('memcached')) {
    const program = await probe(path)
    if (program) return program
  }
  const libraries = ['libevent-2.1-7', 'libevent-2.1-7t64', 'libsasl2-2']
  const unpacked = await unpackDebian(cacheFolder('memcached'), ['memcached', ...libraries], (folder, env) =>
    probe(join(folder, 'usr/bin/memcached'), env),
  )
  if (unpacked === null) throw new NoServerError(memcachedKind)
  return unpacked
}

async function probe(
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<MemcachedProgram | null> {
  try {
    await run(path, ['-V'], { env: { ...process.env, ...env } })
    return { path, env }
  } catch {
    return null
  }
}
