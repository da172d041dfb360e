-- Refuses a known token that is more than a day ahead of the server's clock: see next-token.
-- Reads: knownToken nowText fenceKey
-- Sets:  nothing
if #knownToken > #nowText or #knownToken == #nowText and knownToken > nowText then
  if not ((tonumber(knownToken) or nowText + 86400000000) - nowText < 86400000000) then
    return { -4, fenceKey, knownToken }
  end
end
