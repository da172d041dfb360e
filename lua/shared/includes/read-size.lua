-- Reads what the object was resized to: false when the size is what clients know.
-- Reads: sizeKey
-- Sets:  override
local override = call('GET', sizeKey)
override = override and string.match(override, '^%d+')
