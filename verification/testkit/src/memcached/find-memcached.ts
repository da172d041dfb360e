import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cacheFolder, unpackDebian } from '../find/debian.js'
import { onPath } from '../find/probe-binary.js'

const run = promisify(execFile)

/** No memcached was found; the message says how to get one. */
export class NoMemcachedError extends Error {
  override readonly name = 'NoMemcachedError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No memcached found. Any one of these is enough:',
        '  MEMCACHED_URL=memcached://127.0.0.1:11211    a running server, started with -M',
        '  Docker                                       start it, or set DOCKER_HOST',
        '  brew install memcached                       macOS',
        '  sudo apt-get install memcached               Debian, Ubuntu',
        '  memcached                                    on PATH, by any other means',
        'Tests that stop servers, or need several, start their own: those need the program.',
      ].join('\n'),
      options,
    )
  }
}

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
  if (unpacked === null) throw new NoMemcachedError()
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
