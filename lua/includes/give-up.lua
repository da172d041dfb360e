-- With count 0 the owner's place goes, and a mark refuses its late asks for goneMs.
if count == 0 then
  --@include read-place
  -- The mark of an owner that was given up outlives every further word from it.
  if state ~= 'gone' then
    --@include drop-place
  end
  if goneMs > 0 then
    --@include keep
    -- Each new mark looks at a few old ones, so that they cannot pile up and none costs more than that.
    local marks = redis.call('HRANDFIELD', waitersKey, 8, 'WITHVALUES')
    for i = 1, #marks, 2 do
      local untilMs = string.match(marks[i + 1], '^gone (%d+)$')
      if untilMs and tonumber(untilMs) <= nowMs then
        redis.call('HDEL', waitersKey, marks[i])
      end
    end
    redis.call('HSET', waitersKey, owner, string.format('gone %.0f', nowMs + goneMs))
    keepFor(waitersKey, goneMs)
  end
end
