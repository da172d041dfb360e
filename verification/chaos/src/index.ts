export { clientOptions } from './client-options.js'
export { isObjectName, objectNames, sizeOf, type ObjectName } from './objects.js'
export type { ScheduleResult } from './run-schedule.js'
export {
  drawFrom,
  schedulesWith,
  type PlannedCall,
  type PlannedFault,
  type Schedule,
} from './schedule.js'
export { shrink, type Shrunk } from './shrink.js'
export { lockCount, processCount } from './sizes.js'
export { verdictOn, type Verdict } from './verdict.js'
