-- Takes the next waiter off the queue, unless the lock was granted or nobody can be.
-- Reads: granted lacksToken queueKey
-- Sets:  waiter
waiter = not granted and not lacksToken and call('LPOP', queueKey)
