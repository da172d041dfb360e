export type { FencedClient, FencingLease } from './fence.js'
export { postgres, type PostgresEngine } from './engine.js'
export { migrationSql, type MigrationSqlOptions } from './migration-sql.js'
export type { PostgresOptions } from './options.js'
