import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'

/**
 * Reads "+ pid" and "- pid" lines. Its input ends when our process ends for whatever reason: then it kills the
 * remaining processes, frozen or not, and removes the folder given as $1.
 */
const script = `
pids=
while read -r op pid; do
  if [ "$op" = + ]; then pids="$pids $pid"; continue; fi
  rest=
  for p in $pids; do [ "$p" = "$pid" ] || rest="$rest $p"; done
  pids=$rest
done
[ -z "$pids" ] || kill -9 $pids 2>/dev/null
rm -rf -- "$1"
`

interface Reaper {
  readonly root: string
  readonly input: Writable
  users: number
}

let current: Reaper | null = null

function open(): Reaper {
  if (current) return current
  const root = mkdtempSync(join(tmpdir(), 'holdfast-'))
  // In its own session, or Ctrl-C in the terminal would kill the reaper before it has done its work.
  const child = spawn('/bin/sh', ['-c', script, 'reaper', root], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // The reaper waits for our process to end, so it must not keep it alive.
  child.unref()
  const input = child.stdin
  if (input instanceof Socket) input.unref()
  // Without a reaper, only the safety net is lost.
  child.on('error', ignore)
  input.on('error', ignore)
  current = { root, input, users: 0 }
  return current
}

function leave(reaper: Reaper): void {
  reaper.users -= 1
  if (reaper.users > 0) return
  if (current === reaper) current = null
  reaper.input.end()
}

function ignore(): void {
  // see where it is used
}

/** Makes sure that the child does not outlive this process, even if this process is killed with -9. */
export function guard(child: ChildProcess): void {
  const { pid } = child
  if (pid !== undefined) child.once('exit', guardPid(pid))
}

/** The same for a process that need not be a child of ours. Returns what ends it, to be called once. */
export function guardPid(pid: number): () => void {
  const reaper = open()
  reaper.users += 1
  reaper.input.write(`+ ${String(pid)}\n`)
  return () => {
    reaper.input.write(`- ${String(pid)}\n`)
    leave(reaper)
  }
}

/** A folder that is deleted by {@link ScratchFolder.remove}, or when this process ends. */
export interface ScratchFolder {
  readonly path: string
  /** Deletes the folder. A second call does nothing. */
  remove(): Promise<void>
}

let folders = 0

export async function scratchFolder(): Promise<ScratchFolder> {
  const reaper = open()
  reaper.users += 1
  folders += 1
  const path = join(reaper.root, String(folders))
  await mkdir(path)
  let removed = false
  return {
    path,
    async remove() {
      if (removed) return
      removed = true
      await rm(path, { recursive: true, force: true })
      leave(reaper)
    },
  }
}
