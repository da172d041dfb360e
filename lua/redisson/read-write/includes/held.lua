-- Which side the owner holds: 'read', 'write', or nil. A writer has a field of another name than a reader.
-- Reads: lockKey mode owner
-- Sets:  held
local held = nil
if mode and call('HGET', lockKey, mode == 'write' and owner .. ':write' or owner) then
  held = mode
end
