import { attributes, checkTimes, checkToken, lockOrMakeRow, readClock } from './blocks.js'

/**
 * `raise_token`: raises the last token of a lock to at least p_token, and remembers it for at least p_keep_ms. Never lowers
 * a token and never forgets one earlier. Refuses one that is more than a day ahead of the clock. Safe to run twice.
 */
const raiseToken = (s: string): string => `
create function ${s}.raise_token(p_name text, p_token bigint, p_keep_ms bigint) returns void
language plpgsql ${attributes} as $function$
declare
  l ${s}.lock;
  now_us bigint;
begin
${checkTimes('p_keep_ms')}
${lockOrMakeRow(s)}
  ${readClock}
${checkToken('p_token')}
  update ${s}.lock set
    token = greatest(p_token, case when l.fence_until_us > now_us then l.token else 0 end),
    fence_until_us = greatest(l.fence_until_us, now_us + 1000 * p_keep_ms)
  where name = p_name;
end
$function$;`

/** `uptime`: for how long the locks have been kept here, milliseconds, rounded down. A crash that empties the tables ends it. */
const uptime = (s: string): string => `
create function ${s}.uptime(out uptime_ms bigint) language plpgsql ${attributes} as $function$
declare
  now_us bigint;
begin
  ${readClock}
  insert into ${s}.store default values on conflict do nothing;
  select greatest(0, (now_us - t.since_us) / 1000) into uptime_ms from ${s}.store t;
end
$function$;`

/** What a master of a quorum does besides. */
export const quorum = (s: string): string => raiseToken(s) + uptime(s)
