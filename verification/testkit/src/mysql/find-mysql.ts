import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { NoServerError } from '../find/open-server.js'
import { onPath } from '../find/probe-binary.js'

const run = promisify(execFile)

/** How to get one. */
export const mysqlKind = {
  product: 'MySQL or MariaDB',
  variable: ['MYSQL_URL', 'mysql://me@127.0.0.1/app'],
  names: ['mariadb', 'mariadb-server', 'mariadbd or mysqld'],
} as const

/** Where Debian has servers, which are not on the PATH of every user. */
const debianFolder = '/usr/sbin'

/** The program `mariadbd`, or else `mysqld`. `null` if there is none. */
export function findMysql(): string | null {
  const found = ['mariadbd', 'mysqld'].flatMap((name) => [...onPath(name), `${debianFolder}/${name}`])
  return found.find((path) => existsSync(path)) ?? null
}

/** What fills an empty folder with the system tables, and its arguments. */
export async function initializerOf(
  program: string,
  data: string,
): Promise<readonly [program: string, ...args: string[]]> {
  const { stdout } = await run(program, ['--no-defaults', '--version'])
  const folder = `--datadir=${data}`
  if (!stdout.includes('MariaDB')) return [program, '--no-defaults', '--initialize-insecure', folder]
  const [installer] = [...onPath('mariadb-install-db'), ...onPath('mysql_install_db')]
  if (installer === undefined) {
    throw new NoServerError(mysqlKind, { cause: new Error('no mariadb-install-db on PATH') })
  }
  const more = ['--auth-root-authentication-method=normal', '--skip-test-db']
  return [installer, '--no-defaults', folder, ...more]
}
