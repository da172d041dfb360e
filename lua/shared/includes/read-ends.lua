-- Reads which hold ends first, after dropping those that have ended. `held` is what the main key has of the sum and of the owner.
-- firstOwner and firstEndMs are of the hold that ends first, or '' and 0.
-- Reads: mainKey endsKey owner held nowMs used firstOwner firstEndMs
-- Sets:  firstHold used hold firstOwner firstEndMs
--@include ./read-first
if firstEndMs <= nowMs and (held[1] or firstOwner ~= '') then
  --@include ./drop-ended
end
