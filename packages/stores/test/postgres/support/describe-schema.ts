import type { PostgresServer } from '@holdfast/testkit'

/** Everything in a schema, one line each, with neither its name nor its owner's. */
export async function describeSchema(server: PostgresServer, schema: string): Promise<string[]> {
  const rows = await server.query(
    `select format('table %s persistence %s options %s', c.relname, c.relpersistence, c.reloptions) as line
     from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'r'
     union all
     select format('column %s.%s %s not null %s default %s collation %s', c.relname, a.attname,
       format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation)
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = $1::regnamespace and c.relkind = 'r'
     union all
     select format('constraint %s %s', c.conname, pg_get_constraintdef(c.oid))
     from pg_constraint c where c.connamespace = $1::regnamespace
     union all
     select format('function %s for everybody %s: %s', p.proname, has_function_privilege('public', p.oid, 'execute'),
       pg_get_functiondef(p.oid))
     from pg_proc p where p.pronamespace = $1::regnamespace
     order by 1`,
    [schema],
  )
  return rows.map(({ line }) => String(line).replaceAll(schema, '<schema>'))
}
