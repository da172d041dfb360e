-- Takes the next waiter off the queue, unless the lock was granted.
-- Reads: granted queueKey
-- Sets:  waiter
waiter = not granted and call('LPOP', queueKey)
