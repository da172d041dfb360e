// What runs in a process under test.
export { CallRunner, type ProcessPlan } from '../call-runner.js'
export { evict } from '../evict.js'
export type { Ticket } from '../lock-calls.js'
export { semaphoreSize, sizeOf, type ObjectName } from '../objects.js'
export type { ChaosClient } from '../open-clients.js'
export type { PlannedTaker } from '../schedule.js'
export { holdAtRest, type RestHold } from '../rest-hold.js'
