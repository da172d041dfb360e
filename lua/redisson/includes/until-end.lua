-- When the first hold of ours ends, and whose it is. Without one it is a minute: of what else may happen, a message tells.
-- Reads: endsKey nowMs
-- Sets:  ttlMs holder firstEnd
local ttlMs, holder = 60000, ''
local firstEnd = call('ZRANGE', endsKey, 0, 0, 'WITHSCORES')
if firstEnd[1] then
  holder = firstEnd[1]
  ttlMs = math.min(ttlMs, firstEnd[2] - nowMs)
end
