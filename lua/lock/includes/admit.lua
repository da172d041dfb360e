-- Makes newHolder the holder for newLeaseMs, with a new token.
-- Reads: lockKey fenceKey newLeaseMs nowUs nowText tokenFloor newHolder
-- Sets:  lifeMs token tokenText lastToken
--@include next-token
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
