-- Goes on to the next waiter. Mostly the second one stops the loop, so that those behind it are read in one go.
-- When one that enters has taken all that is left of the size that it knows, nobody else is looked at. One whose client knows a
-- larger size finds out at its next refresh that it fits.
-- Reads: isFull queueKey ahead walked
-- Sets:  walked ahead waiter
walked = walked + 1
if isFull then
  waiter = nil
elseif walked == 1 then
  waiter = call('LINDEX', queueKey, '1')
else
  local place = (walked - 2) % 100 + 1
  if place == 1 then
    ahead = call('LRANGE', queueKey, walked, walked + 99)
  end
  waiter = ahead[place]
end
