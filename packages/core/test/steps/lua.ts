/** All that the keys have, read at one instant: the server's clock, then of each key its time to live and its values. */
export const readLua = `
  local time = redis.call('TIME')
  local all = { string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000)) }
  for _, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    local list = {}
    if kind == 'hash' then list = redis.call('HGETALL', key)
    elseif kind == 'list' then list = redis.call('LRANGE', key, 0, -1)
    elseif kind == 'zset' then list = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    elseif kind == 'string' then list = { redis.call('GET', key) } end
    all[#all + 1] = { redis.call('PTTL', key), list }
  end
  return all`

/**
 * Makes the keys older by ARGV[1] ms, so that no time need pass. KEYS[ARGV[2]] is the hash of those that wait, of whose
 * instants a millisecond has ARGV[3] units. A clock that goes on by itself goes on too.
 */
export const passLua = `
  local ms = tonumber(ARGV[1])
  for i, key in ipairs(KEYS) do
    local kind = redis.call('TYPE', key).ok
    local ttlMs = redis.call('PTTL', key)
    if ttlMs >= 0 then
      if ttlMs <= ms then redis.call('DEL', key) else redis.call('PEXPIRE', key, ttlMs - ms) end
    end
    if kind == 'zset' then
      for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do redis.call('ZINCRBY', key, -ms, member) end
    end
    if i == tonumber(ARGV[2]) then
      local waiters = redis.call('HGETALL', key)
      for n = 1, #waiters, 2 do
        local head, instant, rest = string.match(waiters[n + 1], '^(%D*)(%d+)(.*)$')
        local earlier = instant - (head == '' and tonumber(ARGV[3]) or 1) * ms
        redis.call('HSET', key, waiters[n], head .. string.format('%.0f', earlier) .. rest)
      end
    end
  end`

/** Writes another inbox into the owner's queue entry, if it has one. */
export const moveInboxLua = `
  local entry = redis.call('HGET', KEYS[1], ARGV[1])
  local head = entry and string.match(entry, '^(%d+ .* )%S+$')
  if head then redis.call('HSET', KEYS[1], ARGV[1], head .. ARGV[2]) end`
