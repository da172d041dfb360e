import { checkSchema, oneOf, type PostgresOptions } from './options.js'
import { grantSql, schemaSql } from './sql/migrations.js'

/** For which schema and tables the SQL is to be, and for which role. */
export interface MigrationSqlOptions extends Pick<PostgresOptions, 'schema' | 'tables'> {
  /** A role that only takes locks, and is to get the rights that this takes: `USAGE` of the schema, `EXECUTE` of its functions. */
  readonly role?: string
}

/**
 * The SQL that creates the schema, or brings an existing one up to date, for a role that may create schemas. Run it with
 * `psql`, or as one query; running it again changes nothing.
 *
 * @throws `InvalidArgumentError` for an invalid schema or kind of tables
 */
export function migrationSql(options: MigrationSqlOptions = {}): string {
  const { schema = 'holdfast', tables = 'unlogged', role } = options
  checkSchema(schema)
  oneOf('tables', tables, ['unlogged', 'logged'])
  return schemaSql(schema, tables) + (role === undefined ? '' : grantSql(schema, role))
}
