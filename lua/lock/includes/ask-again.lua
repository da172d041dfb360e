-- Has the first waiter, if it is alive, ask until when the lock is held, since it knows of a hold that is over.
-- Reads: waiter lockKey waitersKey nowText
-- Sets:  nothing
do
  --@include includes/read-entry
  if state == 'alive' then
    -- Without it the waiter asks later by itself.
    redis.pcall('PUBLISH', entryInbox, 'revoked ' .. waiter .. ' ' .. lockKey)
  end
end
