import { attributes, checkRange, checkTimes, checkToken, lockOrMakeRow, readClock } from '../blocks.js'
import { letIn, mostPermits, saveShared, settleShared, sharedTables } from './blocks.js'

/**
 * `resize`: sets how many permits there are in all for p_keep_ms, if the caller has seen the last resize (p_seen; 0: none).
 * Lets in those that fit then, and evicts nobody.
 *
 * Returns kind 'resized' or 'superseded', and the size in force with its version, both 0 when there is none. Safe to run
 * twice: the second time finds p_id.
 */
export const resize = (s: string): string => `
create function ${s}.resize(
  p_name text, p_size bigint, p_keep_ms bigint, p_seen int, p_id text, p_floor bigint,
  out kind text, out version int, out size bigint
) language plpgsql ${attributes} as $function$
declare
  l ${s}.shared;
  was ${s}.shared;
  now_us bigint;
  admission ${s}.admission;
begin
${checkTimes('p_keep_ms')}
${checkRange(['p_size'], 0, mostPermits)}
${lockOrMakeRow(s, sharedTables)}
  was := l;
  ${readClock}
${checkToken('p_floor')}
${settleShared(s)}

  kind := 'resized';
  if l.version > 0 and l.size_id = p_id then
    null;
  elsif l.version <> p_seen then
    kind := 'superseded';
  else
    l.size := p_size;
    l.version := l.version + 1;
    l.size_id := p_id;
    l.size_until_us := now_us + 1000 * p_keep_ms;
${letIn(s)}
  end if;
  version := l.version;
  size := case when l.version > 0 then l.size else 0 end;
${saveShared(s)}
end
$function$;`
