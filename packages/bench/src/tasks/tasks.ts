import { cycles } from './cycles.js'

/** What workers can be told to do. Orders and results travel as JSON. */
export const tasks = { cycles }

export type TaskName = keyof typeof tasks
export type TaskOrder<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[1]
export type TaskResult<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>

export const isTaskName = (name: unknown): name is TaskName => typeof name === 'string' && name in tasks
