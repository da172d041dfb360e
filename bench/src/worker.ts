// A process with a session of one contender, which runs the tasks that it receives.
import { fromParent, tellParent } from '@holdfast/testkit/process'
import { contenderOf } from './adapters/contenders.js'
import { isTaskName, tasks } from './tasks/tasks.js'

const [title = '', url = ''] = process.argv.slice(2)
const session = await contenderOf(title).open(url)
await tellParent({ type: 'ready' })
for (;;) {
  const { task, order } = await fromParent('do')
  try {
    if (!isTaskName(task)) throw new Error(`unknown task ${String(task)}`)
    const result = await tasks[task](session, order as never)
    await tellParent({ type: 'done', result })
  } catch (error) {
    await tellParent({
      type: 'done',
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}
