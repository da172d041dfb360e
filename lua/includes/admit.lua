-- A new fencing token: larger than the last one, than the server's time and than any that the asking client
-- has seen, so that it grows over a lost fence key too. (Redis is slower with numbers than with texts of them.)
local function nextToken(leaseMs)
  local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
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
  redis.call('HSET', lockKey, owner, '1')
  redis.call('PEXPIRE', lockKey, leaseMs)
  return token
end
