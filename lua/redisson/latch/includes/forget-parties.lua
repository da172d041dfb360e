-- Forgets who counted down in the last generation. It is over.
-- Reads: countedKey
-- Sets:  kept
local kept = call('HMGET', countedKey, 'generation', 'previous', 'count', 'keepMs', 'setter', 'deleted')
call('DEL', countedKey)
call(
  'HSET', countedKey, 'generation', kept[1], 'previous', kept[2], 'count', kept[3], 'keepMs', kept[4],
  'setter', kept[5] or '', 'deleted', kept[6] or '', 'left', 0
)
