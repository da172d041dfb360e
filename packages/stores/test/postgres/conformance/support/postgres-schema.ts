/** Empties the tables, as a crash does with unlogged ones. */
export const wipeSql =
  'truncate holdfast.lock, holdfast.place, holdfast.shared, holdfast.shared_hold, holdfast.shared_place, holdfast.latch, ' +
  'holdfast.latch_party, holdfast.latch_waiter, holdfast.tombstone, holdfast.store'

/** How the calls begin that count as commands on objects. */
export const countedCalls = /"holdfast"\.(acquire|release|renew|refresh|force|latch)\w*\(/
