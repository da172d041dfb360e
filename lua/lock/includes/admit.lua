-- Makes newHolder the holder for newLeaseMs, with a new token.
--@include next-token
redis.call('HSET', lockKey, newHolder, '1')
redis.call('PEXPIRE', lockKey, newLeaseMs)
