-- Makes newHolder the holder for newLeaseMs, with a new token.
-- Reads: lockKey fenceKey newLeaseMs nowText tokenFloor newHolder
-- Sets:  lifeMs token lastToken
--@include next-token
call('HSET', lockKey, newHolder, '1')
call('PEXPIRE', lockKey, newLeaseMs)
