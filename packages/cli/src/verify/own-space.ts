import { randomBytes } from 'node:crypto'
import type { Cluster, Redis } from 'ioredis'
import { engineKindOf } from '../connect/engines.js'
import type { StoreOptions } from '../connect/store-options.js'
import ioredis from '../connect/ioredis.cjs'
import type { Store } from '../connect/store.js'
import { ExitError, exitCodes } from '../exit-codes.js'

/** Where scenarios lock, so that they meet nothing that was there before. */
export interface OwnSpace {
  /** Those of the store, with names of its own. */
  readonly options: StoreOptions
  /** How a person finds it. */
  readonly name: string
  /** Removes what is left in it. */
  remove(store: Store): Promise<void>
}

/** @throws `ExitError` for a store that is not tried in this way */
export function ownSpaceIn(options: StoreOptions): OwnSpace {
  const id = randomBytes(6).toString('hex')
  const { url = '', prefix = 'lock:', schema = 'holdfast', table = 'holdfast', timeout } = options
  const kind = engineKindOf(url)
  switch (kind?.store) {
    case undefined: {
      const own = `${prefix}verify-${id}:`
      return {
        options: { ...options, prefix: own },
        name: `keys with ${own} in them`,
        remove: (store) => (store.kind === 'redis' ? deleteKeys(store.template, own) : Promise.resolve()),
      }
    }
    case 'PostgreSQL': {
      const own = `${schema}_verify_${id}`
      return {
        options: { ...options, schema: own, mayCreate: true },
        name: `the schema ${own}`,
        remove: () => dropSchema(url, own, timeout),
      }
    }
    case 'MySQL': {
      const own = `${table}_verify_${id}`
      return {
        options: { ...options, table: own, mayCreate: true },
        name: `the table ${own}`,
        remove: () => dropTable(url, own, timeout),
      }
    }
    default:
      throw new ExitError(
        `holdfast verify tries Redis and what speaks its protocol, PostgreSQL and MySQL, not ${kind?.store}`,
        exitCodes.usage,
      )
  }
}

async function dropSchema(url: string, schema: string, timeoutMs: number): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeoutMs })
  await client.connect()
  try {
    await client.query(`drop schema if exists ${client.escapeIdentifier(schema)} cascade`)
  } finally {
    await client.end()
  }
}

async function dropTable(url: string, table: string, timeoutMs: number): Promise<void> {
  const { createConnection } = await import('mysql2/promise')
  const connection = await createConnection({
    uri: url.replace(/^mariadb:/i, 'mysql:'),
    connectTimeout: timeoutMs,
  })
  try {
    await connection.query('drop table if exists ??', [table])
  } finally {
    await connection.end()
  }
}

/** Deletes the keys of that space, on every master. */
async function deleteKeys(template: Redis | Cluster, prefix: string): Promise<void> {
  const { Cluster } = ioredis()
  const connected = template instanceof Cluster ? template.duplicate() : template.duplicate({ keyPrefix: '' })
  try {
    await connected.connect()
    const masters = connected instanceof Cluster ? connected.nodes('master') : [connected]
    for (const master of masters) {
      for await (const keys of master.scanStream({ match: `*${globEscaped(prefix)}*`, count: 1_000 })) {
        for (const key of keys as string[]) await master.del(key)
      }
    }
  } finally {
    connected.disconnect()
  }
}

const globEscaped = (text: string): string => text.replace(/[\\*?[\]]/g, '\\$&')
