export type { FencedClient, FencingLease } from '@holdfast/core/engine'
export { postgres, type PostgresEngine } from './engine.js'
export { migrationSql, type MigrationSqlOptions } from './migration-sql.js'
export type { PostgresOptions } from './options.js'
