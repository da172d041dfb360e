import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The environment of a machine without Redis, without Docker, and with nothing in the caches of its user, and a way to remove its files. */
export async function machineWithoutRedis(): Promise<{
  readonly env: Readonly<Record<string, string>>
  remove(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'examples-path-'))
  // The only program needed for the clean-up.
  await symlink('/bin/rm', join(folder, 'rm'))
  return {
    env: {
      PATH: folder,
      HOME: folder,
      REDIS_URL: '',
      DOCKER_HOST: `unix://${join(folder, 'no-docker.sock')}`,
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
