--[[
  Find out which commands the user of this connection may not run, before a script is rejected halfway and leaves a key
  without a time to live.

  KEYS[1]  tried     hash, made and deleted here
  ARGV[i]  command   a command that does no harm to a hash with the field 'host', with '*' in place of the key

  Returns  { command, … }   those that are not permitted
  Publishes nothing. Safe to run twice.
]]
local triedKey = KEYS[1]
local missing = {}

local function try(words)
  local reply = redis.pcall(unpack(words))
  local refusal = type(reply) == 'table' and reply.err or ''
  -- Redis 6.2 has no code for it.
  if string.find(refusal, 'NOPERM', 1, true) or string.find(refusal, "can't run this command", 1, true) then
    missing[#missing + 1] = words[1]
    return false
  end
  return true
end

-- Whatever is missing, nothing stays without a time to live.
if not try({ 'PEXPIRE', triedKey, 1000 }) or not try({ 'HSET', triedKey, 'host', '' }) then
  return missing
end
redis.call('PEXPIRE', triedKey, 1000)
for _, command in ipairs(ARGV) do
  local words = {}
  for word in string.gmatch(command, '%S+') do
    words[#words + 1] = word == '*' and triedKey or word
  end
  try(words)
end
try({ 'DEL', triedKey })
return missing
