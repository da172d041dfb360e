import { attributes, msUntil, readClock } from '../blocks.js'

/**
 * `inspect_shared`: who holds and who waits, the first p_limit of them. `holders` and `waiters` list owners, each with its
 * permits and its time; holders by the ends of their holds. Version 0: not resized.
 */
export const inspectShared = (s: string): string => `
create function ${s}.inspect_shared(
  p_name text, p_limit int, out size bigint, out version int, out used bigint, out holder_count int,
  out fencing_token bigint, out waiting int, out holders text, out waiters text
) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
  select coalesce(sum(h.permits), 0), count(*) into inspect_shared.used, holder_count
    from ${s}.shared_hold h where h.name = p_name and h.until_us > now_us;
  select coalesce(json_agg(json_build_array(h.owner, h.permits, ${msUntil('h.until_us')})), '[]') into holders
    from (
      select * from ${s}.shared_hold h where h.name = p_name and h.until_us > now_us
      order by h.until_us, h.owner limit p_limit
    ) h;
  select
    case when o.version > 0 and o.size_until_us > now_us then o.size else 0 end,
    case when o.version > 0 and o.size_until_us > now_us then o.version else 0 end,
    case when o.fence_until_us > now_us then o.token else 0 end,
    case when o.queue_until_us > now_us then o.waiting else 0 end,
    (select json_agg(json_build_array(w.owner, w.want, greatest(0, ${msUntil('w.alive_until_us')})))
     from (
       select * from ${s}.shared_place p
       where p.name = o.name and o.queue_until_us > now_us order by p.ticket limit p_limit
     ) w)
  into inspect_shared.size, inspect_shared.version, fencing_token, inspect_shared.waiting, waiters
  from ${s}.shared o where o.name = p_name;
  size := coalesce(size, 0);
  version := coalesce(version, 0);
  fencing_token := coalesce(fencing_token, 0);
  waiting := coalesce(waiting, 0);
  waiters := coalesce(waiters, '[]');
end
$function$;`
