import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The ids of the processes that this one has started, and that have not ended. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,state='])
  return stdout.split('\n').flatMap((line) => {
    const [child, parent, state = 'Z'] = line.trim().split(/\s+/)
    return Number(parent) === pid && !state.startsWith('Z') ? [Number(child)] : []
  })
}
