-- A free lock is handed to the first live waiter ahead of `before`. `first` was the head of the queue and has been taken
-- off it. If nobody is granted the lock, `before` has left the queue afterwards.
-- Reads: first
-- Sets:  waiter skipped lacksToken
local waiter, skipped, lacksToken = first, nil, nil
