-- Somebody else has it. One text is less to read, there and here, than a list.
local busy = string.format('%d %s %d %s', ttlMs, nowText, position, holder)
return noticeFault == '' and busy or { 0, busy, noticeFault }
