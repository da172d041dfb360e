import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { onPath } from '../find/probe-binary.js'

/** Where Debian and its kin put the programs of each version. */
const debianFolder = '/usr/lib/postgresql'

/** How to get one. */
export const postgresKind = {
  product: 'PostgreSQL',
  variable: ['PG_URL', 'postgres://me@127.0.0.1/app'],
  names: ['postgresql', 'postgresql', 'postgres and initdb'],
} as const

/** The folder that has `postgres` and `initdb`: on PATH, or the newest of Debian's packages. `null` if there is none. */
export function findPostgres(): string | null {
  // Not every program may have a link on the PATH.
  const folders = onPath('postgres').map((path) => dirname(realpathSync(path)))
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder) : []
  versions.sort((a, b) => Number(b) - Number(a))
  folders.push(...versions.map((version) => join(debianFolder, version, 'bin')))
  return folders.find((folder) => existsSync(join(folder, 'initdb'))) ?? null
}

/** A user to run as. */
export interface UserIds {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root: then it runs as its own user, or as nobody. Otherwise `null`: as we do. */
export async function userForPostgres(): Promise<UserIds | null> {
  if (process.getuid?.() !== 0) return null
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].flatMap((name) => lines.filter(([first]) => first === name))
  const [[, , uid, gid] = []] = found
  if (uid === undefined) throw new Error('PostgreSQL needs a user other than root: postgres or nobody')
  return { uid: Number(uid), gid: Number(gid) }
}
