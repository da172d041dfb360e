-- What a refresh replies of an entry that waits, in the form of a busy reply: who is in its way, and its position. The queue is
-- searched no further than this, so that those at the end of a long one cost little; position 0: beyond. Once one entry was
-- beyond, those that the call names after it mostly are, too: they are not searched for.
-- Reads: queueKey owner outlook ttlMs nowText holder
-- Sets:  rank said
local rank = not outlook.isBeyond and call('LPOS', queueKey, owner, 'MAXLEN', '100')
outlook.isBeyond = not rank
said = string.format('%d %s %d %s', ttlMs, nowText, rank and rank + 1 or 0, holder)
