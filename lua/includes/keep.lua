-- A key lives as long as its longest-lived entry, never forever, and its TTL never shrinks.
local function keepFor(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end
