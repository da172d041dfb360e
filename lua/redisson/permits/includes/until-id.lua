-- When the first permit of either side ends. Those of Java that never end have a score of their own.
-- Reads: idsKey nowMs ttlMs
-- Sets:  ttlMs firstId
local firstId = call('ZRANGEBYSCORE', idsKey, nowMs, '(922337203685477', 'WITHSCORES', 'LIMIT', 0, 1)
if firstId[1] then
  ttlMs = math.min(ttlMs, firstId[2] - nowMs)
end
