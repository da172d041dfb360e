import { contend } from './contend.js'
import { cycles } from './cycles.js'
import { herd } from './herd.js'
import { nested } from './nested.js'
import { together } from './together.js'
import { visits } from './visits.js'
import { holdMany } from './hold-many.js'
import { holdOne } from './hold-one.js'
import { waitMany } from './wait-many.js'
import { memory } from './memory.js'
import { soakOn } from './soak.js'

/** The tasks of workers. Orders and results are sent as JSON. */
export const tasks = {
  contend,
  cycles,
  herd,
  nested,
  together,
  visits,
  holdMany,
  holdOne,
  waitMany,
  memory,
  soakOn,
}

export type TaskName = keyof typeof tasks
export type TaskOrder<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[1]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>

export const isTaskName = (name: unknown): name is TaskName => typeof name === 'string' && name in tasks
