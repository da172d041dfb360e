// What a child process needs. Without what starts servers, it is loaded in a fifth of the time.
export { fromParent, tellParent } from './parent.js'
export type { WorkerMessage } from './worker.js'
export { nowMs, type HistoryEvent, type Refusal } from '../history/event.js'
export { openHistory, type HistoryWriter } from '../history/recorder.js'
export { withRedis } from '../server/with-redis.js'
export { watchStalls } from '../history/stalls.js'
export { uniqueName } from '../unique-name.js'
export { until } from '../until.js'
