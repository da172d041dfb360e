/** The SQLSTATE of a migration of a schema that is not its own. */
export const belongsToOthers = 'HF003'

/**
 * Refuses a schema that another role owns, or in which another role owns anything: functions run with the rights of their
 * owner, and call what they find under names in the schema. Who owns it could put something else there.
 */
export const checkOwner = (schema: string): string => `
  declare
    other text;
  begin
    select format('%s belongs to %I', o.what, r.rolname) into other
    from (
      select nspowner as owner, 'schema ${schema}' as what from pg_namespace where nspname = '${schema}'
      union all
      select proowner, 'function ${schema}.' || proname from pg_proc where pronamespace = '${schema}'::regnamespace
      union all
      select relowner, '${schema}.' || relname from pg_class where relnamespace = '${schema}'::regnamespace
      union all
      select typowner, 'type ${schema}.' || typname from pg_type where typnamespace = '${schema}'::regnamespace
    ) o join pg_roles r on r.oid = o.owner
    where r.rolname <> current_user limit 1;
    if found then
      raise exception '%, and not to %, which migrates it: functions in it would run with the rights of one role and be made by '
        'another. Migrate as the owner of the schema (the option owner of migrationSql), or drop the schema', other, current_user
        using errcode = '${belongsToOthers}';
    end if;
  end;`
