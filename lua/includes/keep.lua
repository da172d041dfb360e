-- Extends the TTL of a key, never shrinks it: a key lives as long as its longest-lived entry.
-- Reads: nothing
-- Sets:  keepFor
local function keepFor(key, ms)
  if call('PTTL', key) < ms then
    call('PEXPIRE', key, ms)
  end
end
