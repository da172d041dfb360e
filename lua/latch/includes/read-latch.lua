-- Reads a latch. While no count is set, first is above generation; generation 0: nothing is known of one.
-- foreign says what the key holds if that is not a latch: another type, or a hash that is not one of ours.
-- Reads: latchKey
-- Sets:  ttlMs fields generation first opened left previous foreign
local ttlMs = call('PTTL', latchKey)
local fields = {}
local generation, first, opened, left, previous = 0, 1, 0, 0, 0
local foreign = nil
if ttlMs ~= -2 then
  fields = redis.pcall(
    'HMGET', latchKey, 'generation', 'first', 'opened', 'left', 'previous', 'count', 'keepMs', 'setter', 'server'
  )
  if ttlMs == -1 or not fields[1] then
    foreign = redis.pcall('TYPE', latchKey).ok or 'value of another type'
  else
    generation, first, opened = tonumber(fields[1]), tonumber(fields[2]), tonumber(fields[3])
    left, previous = tonumber(fields[4]), tonumber(fields[5])
  end
end
