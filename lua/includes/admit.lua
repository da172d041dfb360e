-- A new fencing token: larger than the last one, than the server's time and than any that the asking client
-- has seen, so that it grows over a lost fence key too.
local function nextToken(leaseMs)
  local lifeMs = math.max(60000, 2 * leaseMs)
  local token = math.max(nowUs, tokenFloor + 1)
  local last = redis.call('SET', fenceKey, string.format('%.0f', token), 'PX', lifeMs, 'GET')
  if last and tonumber(last) >= token then
    token = tonumber(last) + 1
    redis.call('SET', fenceKey, string.format('%.0f', token), 'PX', lifeMs)
  end
  return token
end

local function admit(owner, leaseMs)
  local token = nextToken(leaseMs)
  redis.call('HSET', lockKey, owner, 1)
  redis.call('PEXPIRE', lockKey, leaseMs)
  return token
end
