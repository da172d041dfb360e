export type { MessageListener } from './channel.js'
export type { SubscriberConnection } from './connection.js'
export { SubscriberHub, type SubscriberHubOptions, type SubscriptionProbe } from './subscriber-hub.js'
// For packages that use ioredis, too.
export { isPermissionError, isReplyError, MisplacedError, replyText, toError } from './errors.js'
