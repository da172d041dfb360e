-- For how long a reader's hold lasts, ms, as Redisson counts it: a key for each time that the reader has entered. 0 or less
-- when all of them have expired: its client is gone, and its field stays behind.
-- Reads: slot
-- Sets:  holdKeyOf holdTimeOf
local function holdKeyOf(reader, n)
  return slot .. ':' .. reader .. ':rwlock_timeout:' .. n
end
local function holdTimeOf(reader, count)
  local longestMs = 0
  for n = 1, tonumber(count) or 0 do
    longestMs = math.max(longestMs, call('PTTL', holdKeyOf(reader, n)))
  end
  return longestMs
end
