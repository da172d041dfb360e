export { mysql } from './engine.js'
export { migrationSql, type MigrationSqlOptions } from './migrate.js'
export type { MysqlOptions, MysqlTableOptions } from './options.js'
