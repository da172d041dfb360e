import type { GrantNotice } from '../engine/host.js'

/** How far ahead of the store's clock a fencing token may be, microseconds: a day. */
const tokenLeadUs = 86_400_000_000

/** Whether the numbers of a notice may be a store's. */
export const isPlausible = ({ token, leaseMs, serverUs }: GrantNotice): boolean =>
  Number.isSafeInteger(token) &&
  Number.isSafeInteger(leaseMs) &&
  (serverUs === undefined || (Number.isSafeInteger(serverUs) && token <= serverUs + tokenLeadUs))
