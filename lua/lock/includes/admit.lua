-- Lets the owner in, for leaseMs. Sets token and tokenText.
--@include next-token
redis.call('HSET', lockKey, owner, '1')
redis.call('PEXPIRE', lockKey, leaseMs)
