import { InvalidArgumentError } from '@holdfast/core'
import { createPool } from 'mysql2'
import { createPool as createPromisePool } from 'mysql2/promise'
import { migrationSql, mysql } from './index.js'

const url = 'mysql://me:secret@localhost/app'
const pool = createPool({ uri: url })

it.each([
  [{}, 'mysql needs exactly one of url and config, got neither'],
  [{ url, config: {} }, 'mysql needs exactly one of url and config, got both'],
  [{ url: 'localhost:3306' }, 'url must be a string that starts with mysql:// or mariadb://, got a string'],
  [{ url: 'redis://localhost' }, 'locks on Redis need no engine: new Holdfast({ redis })'],
  [{ url: 'postgres://localhost/app' }, 'locks in PostgreSQL are those of @holdfast/stores/postgres'],
  [{ url: new URL(url) }, 'got a URL object that begins with mysql:; pass its href'],
  [{ url: 'mysql://localhost' }, 'url must name a database, as in mysql://127.0.0.1/app'],
  [{ url: 'mysql://a:3306,b:3306/x' }, 'url is not a valid URL: it must name one host and port'],
  [{ url: 'mysql://127.0.0.1:999999/x' }, 'url is not a valid URL: its port must be a number from 1 to'],
  [{ url: 'mysql://u:p@ss/w@h/x' }, 'url is not a valid URL: special characters in a password must be'],
  [{ url: 'mysql://u:%@h/x' }, 'url is not a valid URL: special characters in a password must be'],
  [{ url: `${url}?sslmode=require` }, "unknown option 'sslmode' of url (did you mean ssl?"],
  [{ url: `${url}?ssl=true` }, 'ssl in url must be an object with options of tls.connect, such as {}, or'],
  [{ url: `${url}?charset=latin9` }, "url cannot be used by mysql2: Unknown charset 'latin9'"],
  [{ url: `${url}?timezone=CET` }, "timezone in url must be 'local', 'Z' or an offset such as"],
  [{ config: { host: 'db' } }, "config must name a database, as in { database: 'app' }"],
  [{ config: { database: 'app', port: 'abc' } }, "config.port must be an integer from 1 to 65535, got 'abc'"],
  [{ config: { database: 'app', hostt: 'db' } }, "unknown option 'hostt' of config (did you mean host?)"],
  [{ config: { client: 'mysql2' } }, "unknown option 'client' of config; pass the value of connection"],
  [{ config: { uri: 'postgres://h/x' } }, 'config.uri must be a string that starts with mysql://'],
  [{ config: pool }, 'got a pool of mysql2; pass the options it was made of as mysql({ config })'],
  [pool, 'got a pool of mysql2; pass the options it was made of as mysql({ config })'],
  [createPromisePool({ uri: url }), 'options must be an object, got a pool of mysql2'],
  [{ pool }, "unknown option 'pool'; pass the options it was made of as mysql({ config }); valid options"],
  [url, "got a string that begins with mysql://; pass the URL of the database as mysql({ url: 'mysql://"],
  [{ url, schema: 'locks' }, "unknown option 'schema'"],
  [{ url, table: 'Locks' }, "table must be up to 48 lower-case letters, digits and underscores, got 'Locks'"],
  [{ url, pollMs: 20 }, 'pollMs must be two integers from 5 to 10000, the shorter one first, got 20'],
  [{ url, pollMs: [40, 20] }, 'pollMs must be two integers from 5 to 10000, the shorter one first'],
  [{ url, pollMs: [1, 20] }, 'pollMs must be two integers from 5 to 10000, the shorter one first'],
  [{ url, queue: 'yes' }, "queue must be true or false, got 'yes'"],
  [{ url, migrate: 'never' }, "migrate must be 'auto' or 'check', got 'never'"],
])('%# is refused before anything is sent', (options, words) => {
  const make = (): unknown => Reflect.apply(mysql, undefined, [options])
  expect(make).toThrow(InvalidArgumentError)
  expect(make).toThrow(words)
})

it.each(['redis://me:secret@localhost', 'mysql://me:secret@localhost:x', 'mysql://me:secret@localhost'])(
  'the refusal of %s does not show a password',
  (given) => expect(() => mysql({ url: given })).toThrow(/^(?!.*secret)/),
)

it('takes options of connections and pools, URLs of both names, and parameters of mysql2', () => {
  mysql({ url: 'mariadb://u:p%40ss@[::1]:3307/app?ssl={"rejectUnauthorized":false}&timezone=Z' })
  mysql({ config: { database: 'app', socketPath: '/run/mysqld.sock', connectionLimit: 3 } })
  mysql({ config: { uri: 'mysql://localhost/app', ssl: {} } })
})

it('the SQL names the table', () => {
  expect(migrationSql({ table: 'locks' })).toContain('create table if not exists `locks`')
  expect(() => migrationSql({ table: '; drop' })).toThrow(InvalidArgumentError)
})

it('asks for mysql2 by name where it is not installed', () => {
  jest.doMock('mysql2', () => {
    throw new Error("Cannot find module 'mysql2'")
  })
  try {
    const make = (): unknown => mysql({ url })
    expect(make).toThrow(InvalidArgumentError)
    expect(make).toThrow('npm install mysql2')
  } finally {
    jest.dontMock('mysql2')
  }
})
