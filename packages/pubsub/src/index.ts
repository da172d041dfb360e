export type { MessageListener } from './channel.js'
export type { SubscriberConnection } from './connection.js'
export { SubscriberHub, type SubscriberHubOptions } from './subscriber-hub.js'
// For sister packages.
export { backoffMs, type BackoffBounds } from './backoff.js'
export { isPermissionError, isReplyError, toError } from './errors.js'
export { timedOut, within } from './within.js'
