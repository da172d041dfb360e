-- Removes the waiter from the queue.
-- Reads: queueKey waitersKey waiter
-- Sets:  nothing
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
