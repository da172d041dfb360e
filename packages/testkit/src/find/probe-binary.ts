import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { RedisBinary } from './redis-binary.js'
import type { RedisSource } from './redis-source.js'

const run = promisify(execFile)

/** `redis-server`, else `valkey-server`, on PATH. */
export async function redisFromPath(): Promise<RedisSource | null> {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      if (folder === '') continue
      const binary = await probeBinary(join(folder, name))
      if (binary) return { kind: 'binary', binary }
    }
  }
  return null
}

/** The program at that path, if it is there and starts. */
export async function probeBinary(
  path: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RedisBinary | null> {
  try {
    await access(path, constants.X_OK)
    const { stdout } = await run(path, ['--version'], { env: { ...process.env, ...env } })
    const found = /(redis|valkey).*?\bv=((\d+)\.(\d+)[^\s]*)/i.exec(stdout)
    if (!found) return null
    const [, product, text = '', major, minor] = found
    return {
      path,
      product: product?.toLowerCase() === 'valkey' ? 'valkey' : 'redis',
      version: { text, major: Number(major), minor: Number(minor) },
      env,
    }
  } catch {
    return null
  }
}
