-- Reads the only field of a hash; nil for other keys. A lock has one field. Of the two commands that return it this one is
-- faster; servers that only emulate Redis may bar what is random from scripts.
-- Reads: lockKey holder
-- Sets:  holder
holder = redis.pcall('HRANDFIELD', lockKey)
if type(holder) == 'table' then
  holder = redis.pcall('HKEYS', lockKey)[1]
end
