export type { MessageListener } from './channel.js'
export type { SubscriberConnection } from './connection.js'
export { SubscriberHub, type SubscriberHubOptions } from './subscriber-hub.js'
