export type { MessageListener } from './subscriber-hub.js'
export type { SubscriberConnection } from './subscriber-hub.js'
export { SubscriberHub, type SubscriberHubOptions, type SubscriptionProbe } from './subscriber-hub.js'
// For packages that use ioredis, too.
export { isPermissionError, isReplyError, MisplacedError, replyText, toError } from './subscriber-hub.js'
