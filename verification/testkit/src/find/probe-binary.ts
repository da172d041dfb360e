import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import type { RedisBinary } from './redis-binary.js'
import type { RedisSource } from './redis-source.js'

const run = promisify(execFile)

/** `redis-server`, else `valkey-server`, on PATH. */
export async function redisFromPath(): Promise<RedisSource | null> {
  for (const path of [...onPath('redis-server'), ...onPath('valkey-server')]) {
    const binary = await probeBinary(path)
    if (binary) return { kind: 'binary', binary }
  }
  return null
}

/** Where on a search path a program of that name is, in the order of the search. */
export function onPath(program: string, path = process.env['PATH'] ?? ''): string[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, program)).filter((file) => existsSync(file))
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
