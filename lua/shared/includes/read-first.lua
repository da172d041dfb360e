-- Reads which hold ends first, whether it has ended or not.
-- Reads: endsKey held
-- Sets:  firstHold firstOwner firstEndMs
local firstHold = call('ZRANGE', endsKey, '0', '0', 'WITHSCORES')
firstOwner, firstEndMs = firstHold[1] or '', held[1] and (firstHold[2] or 0) + 0 or 0
