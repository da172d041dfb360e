export type { FencedClient, FencingLease } from '@holdfast/core/engine'
export { mysql, type MysqlEngine } from './engine.js'
export { migrationSql, type MigrationSqlOptions } from './migrate.js'
export type { MysqlOptions, MysqlTableOptions } from './options.js'
