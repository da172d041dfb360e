import { InvalidArgumentError } from '@holdfast/core'
import { Pool } from 'pg'
import { migrationSql, postgres } from './index.js'

const url = 'postgres://me:secret@localhost/app'
const pglite = { query: () => undefined, listen: () => undefined, waitReady: Promise.resolve() }

it.each([
  [{}, 'exactly one of url, config and pglite, got none of them'],
  [{ url, config: {} }, 'exactly one of url, config and pglite, got url and config'],
  [{ url, pglite }, 'exactly one of url, config and pglite, got url and pglite'],
  [{ pglite: 'memory://' }, 'pglite must be a PGlite database, got a string that begins with memory://'],
  [{ pglite, listenUrl: url }, 'listenUrl has no meaning with pglite'],
  [{ url: 'redis://localhost' }, 'url must be a string that starts with postgres://'],
  [{ url, listenUrl: 'localhost:5432' }, 'listenUrl must be'],
  [
    { url, schema: 'Locks' },
    "schema must be up to 48 lower-case letters, digits and underscores, got 'Locks'",
  ],
  [
    { url, schema: 'information_schema' },
    "schema must be none of those of PostgreSQL itself, got 'information_schema'",
  ],
  [{ url, schema: 'pg_locks' }, "schema must be none of those of PostgreSQL itself, got 'pg_locks'"],
  [{ url: 'postgres://u:p@a:5432,b:5432/x' }, 'url is not a valid URL: it must name one host and port'],
  [{ url, tables: 'temporary' }, "tables must be 'unlogged' or 'logged', got 'temporary'"],
  [{ url, tables: 'logged', minReplicas: -1 }, 'minReplicas must be an integer of at least 0, got -1'],
  [{ url, minReplicas: 1 }, "minReplicas needs tables: 'logged'"],
  [{ url, migrate: 'never' }, "migrate must be 'auto' or 'check', got 'never'"],
  [{ url: 'postgres://127.0.0.1:999999/x' }, 'url is not a valid URL: its port must be a number from 1 to'],
  [{ url: 'postgres://u:p@ss/w@h/x' }, 'url is not a valid URL: special characters in a password must be'],
  [{ url: 'postgres://u:p#a@h/x' }, 'url is not a valid URL: special characters in a password must be'],
  [{ url: 'postgres://u:1#a@h/x' }, 'url is not a valid URL: special characters in a password must be'],
  [{ url, listenUrl: 'postgres://h:abc' }, 'listenUrl is not a valid URL: its port must be a number'],
  [{ connectionString: url }, "unknown option 'connectionString'; pass the URL as postgres({ url }); valid"],
  [{ pool: {} }, "unknown option 'pool'; pass postgres({ config: pool.options }); valid options"],
  [{ url, prefix: 'lock:' }, "unknown option 'prefix'"],
  [
    'postgres://localhost/app',
    'options must be an object, got a string that begins with postgres://; pass the URL of the database as postgres({ url })',
  ],
  [undefined, 'options must be an object, got undefined; pass the URL of the database as postgres({ url })'],
  [
    { url: 'redis://localhost' },
    'got a string that begins with redis://; locks on Redis need no engine: new Holdfast({ redis })',
  ],
  [{ url: new URL(url) }, 'got a URL object that begins with postgres:; pass its href'],
  [
    { config: { query: 1, totalCount: 1 } },
    'config must be an object of options for pg, got a pool of pg; pass config: pool.options',
  ],
  [{ config: { port: 99_999 } }, 'config.port must be an integer from 1 to 65535, got 99999'],
  [{ config: { port: 'abc' } }, "config.port must be an integer from 1 to 65535, got 'abc'"],
  [{ config: { host: 5 } }, 'config.host must be a string that is not empty, got a number'],
  [{ config: { database: '' } }, "config.database must be a string that is not empty, got ''"],
  [{ config: { user: {} } }, 'config.user must be a string that is not empty, got an object'],
  [{ config: { application_name: 5 } }, 'config.application_name must be a string, got a number'],
  [{ config: { options: ['-c'] } }, 'config.options must be a string, got an array'],
  [{ config: { statement_timeout: 'soon' } }, 'config.statement_timeout must be a number of at least 0 or'],
  [{ config: { stream: 5 } }, 'config.stream must be a function, got a number'],
  [
    { config: { client: 'pg', connection: { host: 'db' } } },
    "unknown option 'client' of config; pass the value of connection in place of the object; valid are",
  ],
  [{ config: { connection: {} } }, "unknown option 'connection' of config; pass its value in place of the"],
  [{ config: { hostt: 'db' } }, "unknown option 'hostt' of config (did you mean host?)"],
  [
    { config: { connectionString: new URL(url) } },
    'config.connectionString must be a string that starts with postgres:// or postgresql://, got a URL object',
  ],
  [{ url: 'postgres://h/x?port=abc' }, 'the port of url must be an integer from 1 to 65535, got NaN'],
  [{ url: `${url}?sslrootcert=/none` }, 'url cannot be used by pg: ENOENT'],
  [{ url, listenUrl: `${url}?sslrootcert=/none` }, 'listenUrl cannot be used by pg: ENOENT'],
  [{ config: { sslnegotiation: 'direct' } }, 'config cannot be used by pg: sslnegotiation=direct requires'],
])('%j is refused before anything is sent', (options, words) => {
  const make = (): unknown => Reflect.apply(postgres, undefined, [options])
  expect(make).toThrow(InvalidArgumentError)
  expect(make).toThrow(words)
})

it.each(['redis://me:secret@localhost', 'postgres://me:secret@localhost:x'])(
  'the refusal of %s does not show a password',
  (url) => expect(() => postgres({ url })).toThrow(/^(?!.*secret)/),
)

it('takes the options of a pool, a path to a socket, and the digits of a port', () => {
  const { options } = new Pool({ host: 'db', port: 6_432, password: 'secret', max: 3 })
  expect(postgres({ config: options }).name).toBe('postgres')
  postgres({ config: { connectionString: '/run/postgresql app' } })
  postgres({ config: { host: 'db', port: '6432', ssl: 'no-verify', password: null } })
})

it('carries read/write locks, semaphores and latches besides locks', () =>
  expect(postgres({ url }).traits.kinds).toEqual(['shared', 'latch']))

it.each([
  [{}, 'nothing'],
  [{ tables: 'logged' }, 'restart'],
  [{ tables: 'logged', minReplicas: 2 }, 'failover'],
] as const)('with %j holds survive: %s', (options, survives) =>
  expect(postgres({ url, ...options }).traits.survives).toBe(survives),
)

it('the SQL names the schema, the kind of tables and the role', () => {
  expect(migrationSql()).toContain('create unlogged table "holdfast".lock')
  const sql = migrationSql({ schema: 'locks', tables: 'logged', role: 'app "x"' })
  expect(sql).toContain('create  table "locks".lock')
  expect(sql).toContain('to "app ""x""";')
  expect(() => migrationSql({ schema: '; drop' })).toThrow(InvalidArgumentError)
  for (const given of [null, 5, '', ['a']]) {
    for (const option of ['schema', 'role', 'owner']) {
      const options = { [option]: given } as object
      expect(() => migrationSql(options)).toThrow(RegExp(`^${option} must be `))
    }
  }
})

it('asks for pg by name where it is not installed', () => {
  jest.doMock('pg', () => {
    throw new Error("Cannot find module 'pg'")
  })
  try {
    const make = (): unknown => postgres({ url })
    expect(make).toThrow(InvalidArgumentError)
    expect(make).toThrow('npm install pg')
  } finally {
    jest.dontMock('pg')
  }
})
