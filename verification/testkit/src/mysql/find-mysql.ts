import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { onPath } from '../find/probe-binary.js'

const run = promisify(execFile)

/** No MySQL or MariaDB was found; the message says how to get one. */
export class NoMysqlError extends Error {
  override readonly name = 'NoMysqlError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No MySQL or MariaDB found. Any one of these is enough:',
        '  MYSQL_URL=mysql://me@127.0.0.1/app    a running server',
        '  Docker                                start it, or set DOCKER_HOST',
        '  brew install mariadb                  macOS',
        '  sudo apt-get install mariadb-server   Debian, Ubuntu',
        '  mariadbd or mysqld                    on PATH, by any other means',
        'Tests that crash servers, or need several, start their own: those need the program.',
      ].join('\n'),
      options,
    )
  }
}

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
  if (installer === undefined) throw new NoMysqlError({ cause: new Error('no mariadb-install-db on PATH') })
  const more = ['--auth-root-authentication-method=normal', '--skip-test-db']
  return [installer, '--no-defaults', folder, ...more]
}
