-- Writes down an owner's hold and when it ends, never sooner than before. These keys have no TTL while
-- there are holds: permits whose hold is forgotten would never return.
-- Reads: holdsKey endsKey owner want nowMs leaseMs
-- Sets:  endMs
local endMs = string.format('%.0f', nowMs + leaseMs)
call('HSET', holdsKey, owner, want)
call('ZADD', endsKey, 'GT', endMs, owner)
