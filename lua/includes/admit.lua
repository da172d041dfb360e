-- A new fencing token: larger than the last one, than the server's time and than any that the asking client
-- has seen, so that it grows over a lost fence key too. Returns it as a number and as text, which Redis is faster with.
local function nextToken(leaseMs)
  local lifeMs = 2 * leaseMs > 60000 and 2 * leaseMs or '60000'
  local token, text = nowUs, nowText
  if tokenFloor >= token then
    token = tokenFloor + 1
    text = string.format('%.0f', token)
  end
  local last = redis.call('SET', fenceKey, text, 'PX', lifeMs, 'GET')
  if last and tonumber(last) >= token then
    token = tonumber(last) + 1
    text = string.format('%.0f', token)
    redis.call('SET', fenceKey, text, 'PX', lifeMs)
  end
  return token, text
end

local function admit(owner, leaseMs)
  local token, text = nextToken(leaseMs)
  redis.call('HSET', lockKey, owner, '1')
  redis.call('PEXPIRE', lockKey, leaseMs)
  return token, text
end
