-- Takes the owner out of the queue.
redis.call('ZREM', queueKey, owner)
redis.call('HDEL', waitersKey, owner)
