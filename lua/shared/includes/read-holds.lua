-- Reads the holds, after dropping those that have ended. hold is the value of the owner's hold, or false.
-- Reads: mainKey owner used endsKey nowMs firstOwner firstEndMs
-- Sets:  held used hold firstHold firstOwner firstEndMs
--@include ./read-sum
hold = held[2]
--@include ./read-ends
