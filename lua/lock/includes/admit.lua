-- Makes newHolder the holder for newLeaseMs, with a new token, unless there is none.
-- Reads: lockKey fenceKey newLeaseMs nowText tokenFloor newHolder
-- Sets:  lifeMs token lastToken isBeyond
--@include includes/next-token
if not isBeyond then
  call('HSET', lockKey, newHolder, '1')
  call('PEXPIRE', lockKey, newLeaseMs)
end
