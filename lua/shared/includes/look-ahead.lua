-- When the waiters of an object may fit without a notice. -2, when a waiter should request now: a hold has ended or was lost, or
-- the first waiter that counts is stale or fits, perhaps because the object has its old size again. A waiter that stops
-- the others has a ttlMs of its own: it need not wait for itself to be stale.
-- Reads: mainKey endsKey queueKey waitersKey sizeKey nowMs nowMsText
-- Sets:  sum firstHold used override ttlMs outlook
local sum = redis.pcall('HGET', mainKey, 'used')
local firstHold = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
local used = tonumber(type(sum) == 'string' and sum or 0)
--@include read-size
local ttlMs = 60000
if used > 0 then
  ttlMs = tonumber(firstHold[2] or 0) > nowMs and firstHold[2] - nowMs or -2
end
if override then
  ttlMs = math.min(ttlMs, call('PTTL', sizeKey))
end
outlook = { ttlMs = ttlMs, blockedTtlMs = ttlMs }
-- So many that want more than there is are passed over at most: nothing is missed for longer than a hold lasts.
for rank = 0, override == '0' and -1 or 99 do
  local waiter = call('LINDEX', queueKey, rank)
  if not waiter then
    break
  end
  --@include read-entry
  local permits, room = tonumber(entryWant or 0), tonumber(override or entrySize or 0)
  if state ~= 'alive' or used + permits <= room then
    outlook = { ttlMs = -2, blockedTtlMs = -2 }
    break
  elseif permits <= room then
    local leftMs = aliveUntilMs - nowMs
    outlook = { ttlMs = ttlMs, blockedTtlMs = math.min(ttlMs, leftMs), blocker = waiter }
    break
  end
end
