import { contend } from './contend.js'
import { cycles } from './cycles.js'
import { holdMany } from './hold-many.js'
import { visits } from './visits.js'

/** The tasks of workers. Orders and results are sent as JSON. */
export const tasks = { contend, cycles, visits, holdMany }

export type TaskName = keyof typeof tasks
export type TaskOrder<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[1]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>

export const isTaskName = (name: unknown): name is TaskName => typeof name === 'string' && name in tasks
