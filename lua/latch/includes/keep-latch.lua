-- Has the latch live for keepMs from now on, and what was counted for longer. A latch without it would let a party count twice.
-- Not while less than a hundredth of that time has passed: few touches have to write for it.
-- Reads: latchKey countedKey ttlMs keepMs
-- Sets:  nothing
if ttlMs < 0.99 * keepMs then
  call('PEXPIRE', latchKey, keepMs)
  call('PEXPIRE', countedKey, keepMs + 60000)
end
