import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  /** Tells a process from a later one with the same id. */
  readonly start: string
}

/** The processes that run now. */
export function readProcessTable(): ProcessEntry[] {
  return process.platform === 'linux' ? fromProc() : fromPs()
}

/** Linux only: the processes whose environment has this variable with this value. Elsewhere none. */
export function processesWith(variable: string, value: string): number[] {
  if (process.platform !== 'linux') return []
  const entry = `${variable}=${value}`
  return pidsInProc().filter((pid) => readProc(pid, 'environ')?.split('\0').includes(entry))
}

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
    return [{ pid, parent: Number(fields[1]), start: fields[19] ?? '' }]
  })
}

function fromPs(): ProcessEntry[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,lstart='], { encoding: 'utf8' }).split('\n')
  return lines.flatMap((line) => {
    const [, pid, parent, start = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), start }]
  })
}
