-- Extends the TTL of a key, never shrinks it: a key lives as long as its longest-lived entry.
-- Reads: nothing
-- Sets:  keepFor
local function keepFor(key, ms)
  if redis.call('PTTL', key) < ms then
    redis.call('PEXPIRE', key, ms)
  end
end
