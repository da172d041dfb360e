-- Has the holds live for keepMs and a quarter more, at least. They are set to twice as long as needed, so that few leases have to
-- extend them: a hold ends by its score. Both keys get the same instant, where two PEXPIREs would differ by a millisecond:
-- one that is left alone would be taken for a loss. Where nobody held anything, the keys are new.
-- Reads: mainKey endsKey nowMs keepMs wasFree
-- Sets:  nothing
if wasFree or call('PTTL', mainKey) < 1.25 * keepMs then
  local untilMs = string.format('%d', nowMs + 2 * keepMs)
  call('PEXPIREAT', mainKey, untilMs)
  call('PEXPIREAT', endsKey, untilMs)
end
