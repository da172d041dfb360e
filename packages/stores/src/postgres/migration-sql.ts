import { checkOptions, InvalidArgumentError, shown } from '@holdfast/core/engine'
import { checkSchema, oneOf, type PostgresSchemaOptions } from './options.js'
import { schemaSql } from './sql/migrations.js'

/** For which schema and tables the SQL is to be, and for which role. */
export interface MigrationSqlOptions extends Pick<PostgresSchemaOptions, 'schema' | 'tables'> {
  /**
   * A role that only takes locks, and is to get the rights that this takes: `USAGE` of the schema, `EXECUTE` of the functions that
   * clients call. Those that they call in turn stay with the owner.
   */
  readonly role?: string
  /**
   * The role that is to own the schema and all that is in it, whoever runs the SQL: `SET ROLE` is part of it. Best one that nobody
   * can log in as, and never a superuser: the functions run with its rights. A schema that another role owns is refused.
   *
   * @defaultValue the role that runs the SQL
   */
  readonly owner?: string
}

const known: ReadonlySet<string> = new Set(['schema', 'tables', 'role', 'owner'])

function checkRole(option: string, given: unknown): void {
  if (given === undefined || (typeof given === 'string' && given !== '')) return
  throw new InvalidArgumentError(`${option} must be the name of a role, got ${shown(given)}`)
}

/**
 * The SQL that creates the schema, or brings an existing one up to date, for a role that may create schemas. Run it with
 * `psql`, or as one query; running it again changes nothing. The SQL fails if anything in the schema belongs to another role than the
 * one that runs it, or `owner`: see docs/stores/postgres.md.
 *
 * @throws `InvalidArgumentError` for an invalid schema, kind of tables, role or owner
 */
export function migrationSql(options: MigrationSqlOptions = {}): string {
  checkOptions(options, known)
  const { schema = 'holdfast', tables = 'unlogged', role, owner } = options
  checkSchema(schema)
  oneOf('tables', tables, ['unlogged', 'logged'])
  checkRole('role', role)
  checkRole('owner', owner)
  return schemaSql(schema, tables, { role, owner })
}
