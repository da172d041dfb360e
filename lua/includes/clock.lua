-- The server's clock in microseconds since the epoch, as text: the only clock that scripts use. Converting a number of
-- that size to text or back takes Redis as long as a command.
-- Reads: nothing
-- Sets:  time zeros nowText
local time = call('TIME')
local zeros = #time[2] < 6 and string.rep('0', 6 - #time[2]) or ''
local nowText = time[1] .. zeros .. time[2]
