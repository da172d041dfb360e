-- Has what we keep beside a latch live for keepMs from now on. Redisson's latch itself never ends.
-- Reads: countedKey
-- Sets:  keepMs
local keepMs = call('HGET', countedKey, 'keepMs')
if keepMs then
  call('PEXPIRE', countedKey, keepMs)
end
