import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian's package of each program that tests run, and what shows that it is there: programs, or a file. */
const servers = {
  'redis-server': ['redis-server', 'valkey-server'],
  postgresql: ['postgres'],
  pgbouncer: ['pgbouncer'],
  'mariadb-server': ['mariadbd', 'mysqld'],
  memcached: ['memcached'],
  'etcd-server': ['etcd'],
  zookeeper: ['zkServer.sh', '/usr/share/java/zookeeper.jar'],
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  prometheus: ['promtool'],
}

/** Where programs are: on PATH, and where Debian has those that are not on the PATH of every user. */
function folders() {
  const postgres = '/usr/lib/postgresql'
  const versions = existsSync(postgres) ? readdirSync(postgres) : []
  const onPath = (process.env.PATH ?? '').split(delimiter)
  return [...onPath, '/usr/sbin', ...versions.map((version) => join(postgres, version, 'bin'))]
}

/** The packages of what is missing here. */
export function missingServers() {
  const isHere = (program) => [...folders(), ''].some((folder) => existsSync(join(folder, program)))
  return Object.keys(servers).filter((name) => !servers[name].some(isHere))
}

/** Installs them one after another, each after what else the package manager is at. Returns those that it could not install. */
export function installServers() {
  // At runlevel 1 packages start no servers of their own: tests start theirs.
  const asRoot = [
    ...(process.getuid?.() === 0 ? [] : ['sudo']),
    'env',
    'RUNLEVEL=1',
    'DEBIAN_FRONTEND=noninteractive',
  ]
  const aptGet = (...args) => {
    const [program, ...rest] = [...asRoot, 'apt-get', '-y', '-qq', '-o', 'DPkg::Lock::Timeout=600', ...args]
    return spawnSync(program, rest, { stdio: ['inherit', 'ignore', 'inherit'] }).status === 0
  }
  const missing = missingServers()
  if (missing.length > 0) aptGet('update')
  return missing.filter((name) => !aptGet('install', name))
}
