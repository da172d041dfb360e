-- What a step replies: whether it was made, and why Redis refused to publish a message of it, if it did.
local function answer(isDone, fault)
  local code = isDone and 1 or 0
  return fault == '' and code or { code, fault }
end
