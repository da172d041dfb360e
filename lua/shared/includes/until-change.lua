-- After how long a blocked requester may fit although nobody has notified it: when the first hold ends, when the waiter
-- that stops it is stale, when the size is again what the clients know. Otherwise it looks again after a minute, for
-- nothing; an immediate repetition would find the same.
-- Reads: firstOwner firstEndMs nowMs blockedTtlMs override sizeKey
-- Sets:  ttlMs
local ttlMs = firstOwner ~= '' and firstEndMs - nowMs or 60000
if blockedTtlMs then
  ttlMs = math.min(ttlMs, blockedTtlMs)
end
if override then
  ttlMs = math.min(ttlMs, math.max(call('PTTL', sizeKey), 1))
end
