-- The queue entry that the owner wants, alive from now on.
-- Reads: waiting nowMs
-- Sets:  entryTtlMs newEntry
local entryTtlMs = string.match(waiting, '^%d+')
local newEntry = string.format('%d', nowMs + entryTtlMs) .. string.sub(waiting, #entryTtlMs + 1)
