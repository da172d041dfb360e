-- Removes the waiter from the queue.
redis.call('ZREM', queueKey, waiter)
redis.call('HDEL', waitersKey, waiter)
