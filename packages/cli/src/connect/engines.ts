import type { LockEngine } from '@holdfast/core/engine'
import { ExitError, exitCodes } from '../exit-codes.js'
import { isMissing } from './missing-package.js'
import { readServersUrl } from './servers-url.js'
import type { StoreOptions } from './store-options.js'

/** A kind of store that comes in a package of its own, and may need a driver. */
export interface EngineKind {
  /** As messages name it. */
  readonly store: string
  /** Of its URLs. */
  readonly scheme: RegExp
  /** What is to be installed beside this package. */
  readonly packages: readonly string[]
  /** The options that apply to it. */
  readonly options: readonly (keyof StoreOptions)[]
  /** Rejects as an import does if a package is not installed. */
  open(url: string, options: StoreOptions): Promise<LockEngine>
}

const kinds: readonly EngineKind[] = [
  {
    store: 'PostgreSQL',
    scheme: /^postgres(ql)?:/,
    packages: ['@holdfast/stores', 'pg'],
    options: ['schema', 'tables', 'minReplicas'],
    async open(url, { schema, tables = 'unlogged', minReplicas, mayCreate = false }) {
      const [{ postgres }] = await Promise.all([import('@holdfast/stores/postgres'), import('pg')])
      const database = {
        url,
        migrate: mayCreate ? 'auto' : 'check',
        ...(schema !== undefined && { schema }),
      } as const
      if (minReplicas !== undefined) return postgres({ ...database, tables: 'logged', minReplicas })
      return postgres({ ...database, tables })
    },
  },
  {
    store: 'ZooKeeper',
    scheme: /^zks?:/,
    packages: ['@holdfast/stores'],
    options: [],
    async open(url) {
      const { zookeeper } = await import('@holdfast/stores/zookeeper')
      const { hosts, path, user, hasTls } = readServersUrl('ZooKeeper', 'zk', url)
      return zookeeper({
        connect: `${hosts.join(',')}${path === '' ? '' : `/${path}`}`,
        ...(hasTls && { tls: true }),
        // What this user makes is this user's, as where the application authenticates.
        ...(user && {
          auth: [{ scheme: 'digest', auth: `${user.name}:${user.password}` }],
          acl: [{ permissions: 'rwcda', scheme: 'auth', id: '' }],
        }),
      })
    },
  },
  {
    store: 'etcd',
    scheme: /^etcds?:/,
    packages: ['@holdfast/stores'],
    options: [],
    async open(url) {
      const { etcd } = await import('@holdfast/stores/etcd')
      const { hosts, path, user, hasTls } = readServersUrl('etcd', 'etcd', url)
      return etcd({
        hosts: hosts.map((host) => `${hasTls ? 'https' : 'http'}://${withPort(host, 2379)}`),
        ...(path !== '' && { prefix: path.endsWith('/') ? path : `${path}/` }),
        ...(user && { username: user.name, password: user.password }),
      })
    },
  },
  {
    store: 'memcached',
    scheme: /^memcacheds?:/,
    packages: ['@holdfast/stores'],
    options: [],
    async open(url) {
      const { memcached } = await import('@holdfast/stores/memcached')
      const { hosts, path, user, hasTls } = readServersUrl('memcached', 'memcached', url)
      return memcached({
        url: `memcached://${hosts.join(',')}`,
        ...(path !== '' && { prefix: path }),
        ...(hasTls && { tls: true }),
        ...(user && { user: user.name, password: user.password }),
      })
    },
  },
  {
    store: 'MySQL',
    scheme: /^(mysql|mariadb):/,
    packages: ['@holdfast/stores', 'mysql2'],
    options: ['table'],
    async open(url, { table, mayCreate = false }) {
      const [{ mysql }] = await Promise.all([import('@holdfast/stores/mysql'), import('mysql2')])
      return mysql({ url, migrate: mayCreate ? 'auto' : 'check', ...(table !== undefined && { table }) })
    },
  },
]

const withPort = (host: string, port: number): string => (/:\d+$/.test(host) ? host : `${host}:${port}`)

/** The kind of store that a URL leads to; `undefined` for Redis. */
export const engineKindOf = (url: string): EngineKind | undefined =>
  kinds.find(({ scheme }) => scheme.test(url))

/** @throws `ExitError` if a package is not installed */
export async function openEngine(kind: EngineKind, url: string, options: StoreOptions): Promise<LockEngine> {
  try {
    return await kind.open(url, options)
  } catch (error) {
    if (!isMissing(error)) throw error
    const { store, packages } = kind
    const count = packages.length === 1 ? 'another package' : `${packages.length} more packages`
    const flags = packages.map((name) => ` -p ${name}`).join('')
    throw new ExitError(
      `locks in ${store} need ${count}: npm install ${packages.join(' ')}, or npx -p @holdfast/cli${flags} holdfast …`,
      exitCodes.usage,
    )
  }
}
