import { createRequire } from 'node:module'
import { format } from 'node:util'
import { runInNewContext } from 'node:vm'
import * as pglite from '@electric-sql/pglite'
import * as ioredis from 'ioredis'
import * as mysql2 from 'mysql2/promise'
import * as pg from 'pg'
import * as core from '../../src/index.js'
import { compile, type Snippet } from '../readme-snippets.js'

const nodeRequire = createRequire(__filename)
const ends = new Set<() => Promise<void> | void>()

/** As in the packages, but ended after the test: pages need not show the end of everything. */
export class Holdfast extends core.Holdfast {
  readonly tracked = ends.add(() => this.close())
}

class Redis extends ioredis.Redis {
  readonly tracked = ends.add(() => this.disconnect())
}

/** Ends what was opened since the last call. */
export async function endAll(): Promise<void> {
  const ending = [...ends].reverse()
  ends.clear()
  for (const end of ending) await end()
}

/** Where snippets say that a store other than Redis is. */
export const otherStores = {
  postgres: /postgres:\/\/(app@)?localhost:5432\/app/g,
  etcd: /http:\/\/localhost:2379/g,
  memcached: /memcached:\/\/localhost:11211/g,
  zookeeper: /localhost:2181/g,
  mysql: /mysql:\/\/localhost:3306\/app/g,
  pglite: /@electric-sql\/pglite/g,
}

export type OtherStore = keyof typeof otherStores

/** The stores other than Redis that a snippet uses. */
export const storesOf = ({ module }: Snippet): OtherStore[] =>
  (Object.keys(otherStores) as OtherStore[]).filter((store) => module.search(otherStores[store]) >= 0)

/** Runs a snippet as a program of its own would run, and answers what it printed. */
export async function runSnippet(
  snippet: Snippet,
  redisUrl: string,
  urls = new Map<RegExp, string>(),
): Promise<string[]> {
  let code = compile(snippet).replaceAll('redis://localhost:6379', redisUrl)
  for (const [address, url] of urls) code = code.replaceAll(address, url)
  const modules: Record<string, unknown> = {
    '@holdfast/core': { ...core, Holdfast },
    ioredis: { ...ioredis, Redis },
    pg,
    'mysql2/promise': mysql2,
    '@electric-sql/pglite': pglite,
  }
  const exports: { run?: () => Promise<void> } = {}
  const printed: string[] = []
  runInNewContext(code, {
    exports,
    require: (name: string): unknown => modules[name] ?? nodeRequire(name),
    console: { log: (...args: unknown[]) => printed.push(format(...args)) },
    AbortController,
    AbortSignal,
    Error,
    Symbol,
    performance,
    process,
    setTimeout,
  })
  await exports.run?.()
  return printed
}
