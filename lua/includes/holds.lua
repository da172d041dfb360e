local function holds(owner)
  return redis.call('HGET', lockKey, owner)
end
