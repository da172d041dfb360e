--[[
  Set the count of a latch that is not set, or that is open.

  KEYS[1]  latch     hash: generation, first, opened, left, previous, count, keepMs, setter, server
  KEYS[2]  counted   set, the parties that have counted down
  ARGV[1]  named     the generation that the caller takes for the last one; 0: none
  ARGV[2]  setter    unique to the call, the same when it is repeated
  ARGV[3]  count     how many parties have to count down
  ARGV[4]  keepMs    how long the latch outlives its last use, milliseconds
  ARGV[5]  server    run_id of the server; '' when it is not known

  Returns  { 1, state … }   set, now or by an earlier run of the same call
           { 0, state … }   another generation is the last one, or its latch is not open; changes nothing
           { -3, type }     the key is not a latch; changes nothing
           state: generation, first, opened, left, previous, ''

  Publishes nothing. Safe to run twice: the second time it finds its own setter, or another generation than the named one.
]]
--@include includes/call
local latchKey, countedKey = KEYS[1], KEYS[2]
local named = tonumber(ARGV[1])
local setter = ARGV[2]
local count = ARGV[3]
local keepMs = ARGV[4]
local server = ARGV[5]

--@include ./includes/read-latch

if foreign then
  return { -3, foreign }
end
local code, noticeError = 0, ''
if fields[8] == setter then
  code = 1
elseif generation == named and (generation < first or opened == generation) then
  --@include includes/clock
  code = 1
  previous = generation
  generation = math.max(tonumber(nowText), previous + 1)
  -- What another server knew may have been lost with it. So no generation from before this one counts as open any more.
  if previous < first or fields[9] ~= server then
    first = generation
  end
  left = tonumber(count)
  local function text(number)
    return string.format('%.0f', number)
  end
  call(
    'HSET', latchKey, 'generation', text(generation), 'first', text(first), 'opened', text(opened), 'left', count,
    'previous', text(previous), 'count', count, 'keepMs', keepMs, 'setter', setter, 'server', server
  )
  call('DEL', countedKey)
  call('PEXPIRE', latchKey, keepMs)
end
--@include ./includes/reply-state
