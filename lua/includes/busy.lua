-- Returns who holds the lock and where the owner queues. One string is faster to build and to parse than a list.
-- Reads: ttlMs nowText position holder noticeError
-- Sets:  busy
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeError == '' and busy or { 0, busy, noticeError }
