import { msUntil } from '../blocks.js'
import { readAhead, refreshFunction, renewFunction } from '../upkeep.js'
import { idleUs } from './acquire.js'
import { sharedTables } from './blocks.js'

/**
 * An owner may enter without a notice when the first hold has ended, when the size is that of the clients again, or when the
 * first waiter that counts is stale, unless that is the owner itself. Where that waiter fits or is stale, the owner has to
 * request now.
 */
const sharedStates = (s: string): string => `
  with outlook as (
    select o.name, o.queue_until_us, first.owner as blocker, first.alive_until_us as blocked_until_us,
      first.owner is not null
        and (first.alive_until_us <= now_us or coalesce(held.used, 0) + first.want <= first.room) as is_open,
      least(coalesce(held.first_end_us, now_us + ${idleUs}),
        case when resized.size is not null then o.size_until_us end) as change_us,
      held.first_owner
    from ${s}.shared o
    cross join lateral (
      select case when o.version > 0 and o.size_until_us > now_us then o.size end as size
    ) resized
    cross join lateral (
      select sum(h.permits) as used, min(h.until_us) as first_end_us,
        (array_agg(h.owner order by h.until_us, h.owner))[1] as first_owner
      from ${s}.shared_hold h where h.name = o.name and h.until_us > now_us
    ) held
    left join lateral (
      select p.owner, p.want, p.alive_until_us, coalesce(resized.size, p.size) as room
      from ${s}.shared_place p
      where p.name = o.name and o.queue_until_us > now_us and coalesce(resized.size, 1) > 0
        and (p.alive_until_us <= now_us or p.want <= coalesce(resized.size, p.size))
      order by p.ticket limit 1
    ) first on true
    where o.name = any (p_names)
  )
  select string_agg(
    concat_ws(' ',
      case
        when p.name is not null then 1
        when h.name is not null then 2
        else 0
      end,
      case
        when o.is_open then -2
        when o.name is null then ${idleUs / 1_000}
        else ${msUntil('least(o.change_us, case when o.blocker <> r.owner then o.blocked_until_us end)')}
      end),
    ' ' order by r.i),
    json_agg(
      case
        when p.name is not null and not o.is_open
        then json_build_array(coalesce(o.first_owner, ''), coalesce(ahead.rank, 0))
        else '[]'
      end order by r.i)
  into states, obstacles
  from unnest(p_names, p_owners) with ordinality r (name, owner, i)
  left join outlook o on o.name = r.name
  left join ${s}.shared_hold h on h.name = r.name and h.owner = r.owner and h.until_us > now_us
  left join ${s}.shared_place p on p.name = r.name and p.owner = r.owner and p.alive_until_us > now_us
    and o.queue_until_us > now_us${readAhead(s, sharedTables)};`

/** `renew_shared` and `refresh_shared`. */
export const sharedUpkeep = (s: string): string =>
  renewFunction(s, 'renew_shared', sharedTables) +
  refreshFunction(s, 'refresh_shared', sharedTables, sharedStates(s))
