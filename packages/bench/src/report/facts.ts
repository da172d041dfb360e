import { arch, cpus, type as system } from 'node:os'
import { fileURLToPath } from 'node:url'
import { startRedis, withRedis } from '@holdfast/testkit'
import { findInstalled, readPackage } from '../installed.js'

/** The machine and the versions with which a report's figures were measured. */
export interface Facts {
  readonly node: string
  readonly redis: string
  readonly cpu: string
  readonly cores: number
  readonly platform: string
  /** Versions, by the names under which the bench imports them. */
  readonly libraries: Readonly<Record<string, string>>
}

const bench = fileURLToPath(new URL('../..', import.meta.url))

export async function gatherFacts(): Promise<Facts> {
  return {
    node: process.versions.node,
    redis: await redisVersion(),
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    platform: `${system()} ${arch()}`,
    libraries: await libraryVersions(),
  }
}

async function redisVersion(): Promise<string> {
  const server = await startRedis()
  try {
    const info = await withRedis(server.url, (redis) => redis.info('server'))
    return /^redis_version:(\S+)/m.exec(info)?.[1] ?? 'unknown'
  } finally {
    await server.stop()
  }
}

async function libraryVersions(): Promise<Record<string, string>> {
  const { dependencies } = await readPackage(bench)
  const found = await Promise.all(dependencies.map((name) => findInstalled(name, bench)))
  return Object.fromEntries(dependencies.map((name, n) => [name, found[n]?.version.replace(/^v/, '') ?? '']))
}
