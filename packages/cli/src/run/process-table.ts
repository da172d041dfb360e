import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  /** Tells a process from a later one with the same id. */
  readonly start: string
}

/** The processes that run now. One that has ended is none, though its parent may not have looked yet. */
export function readProcessTable(): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs()
}

/** Linux only: the processes whose environment has this variable with this value. Elsewhere none. */
export function processesWith(variable: string, value: string): number[] {
  if (process.platform !== 'linux') return []
  const entry = `${variable}=${value}`
  return pidsInProc().filter((pid) => readProc(pid, 'environ')?.split('\0').includes(entry))
}

/** The state of a zombie. */
const ended = 'Z'

const pidsInProc = (): number[] =>
  readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    // It has ended, or belongs to another user.
    return undefined
  }
}

function fromProc(): ProcessEntry[] {
  return pidsInProc().flatMap((pid) => {
    const stat = readProc(pid, 'stat')
    if (stat === undefined) return []
    // The name in parentheses may itself contain parentheses and spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === ended) return []
    return [{ pid, parent: Number(fields[1]), group: Number(fields[2]), start: fields[19] ?? '' }]
  })
}

function fromPs(): ProcessEntry[] {
  const columns = 'pid=,ppid=,pgid=,stat=,lstart='
  const lines = execFileSync('ps', ['-A', '-o', columns], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, group, state = '', start = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? []
    if (pid === undefined || state.startsWith(ended)) return []
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), start }]
  })
}
