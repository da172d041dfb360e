import type { Watched } from './guard-protocol.js'
import { readProcessTable } from './process-table.js'

/** What became of a signal; `denied` by a process of another user, such as one that sudo started. */
export type Sent = 'sent' | 'gone' | 'denied'

/** The processes of a command, which signals are sent to. */
export interface CommandProcesses {
  /** `denied` if some may not be signalled; of a group only if that is so for all. */
  signal(signal: NodeJS.Signals): Sent
  areAlive(): boolean
}

export const processesOf = ({ pid, isGroup }: Watched): CommandProcesses =>
  isGroup ? groupOf(pid) : new ProcessTree(pid)

/** Sends a signal, or with 0 only looks. `gone` when there is no such process or group. */
export function send(pid: number, signal: NodeJS.Signals | 0): Sent {
  try {
    process.kill(pid, signal)
    return 'sent'
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM' ? 'denied' : 'gone'
  }
}

const groupOf = (leader: number): CommandProcesses => ({
  signal(signal) {
    // Those that have ended stay in the group, and take signals, until the runner has looked, which may be frozen.
    const isEmpty = signal === 'SIGKILL' && readProcessTable().every(({ group }) => group !== leader)
    return isEmpty ? 'gone' : send(-leader, signal)
  },
  areAlive: () => send(-leader, 0) !== 'gone',
})

/** Processes of another user cannot be stopped, and may start others without end. */
const mostRounds = 10

/**
 * A process and what descends from it, for a command that shares its group with others. A descendant whose parent has ended is
 * still known if it was seen before.
 */
class ProcessTree implements CommandProcesses {
  /** When each process started, by its id. */
  readonly #members = new Map<number, string>()

  constructor(root: number) {
    const entry = readProcessTable().find(({ pid }) => pid === root)
    if (entry) this.#members.set(root, entry.start)
  }

  signal(signal: NodeJS.Signals): Sent {
    this.#update()
    if (signal === 'SIGKILL') this.#stop()
    const outcomes = [...this.#members.keys()].map((pid) => send(pid, signal))
    return outcomes.find((outcome) => outcome === 'denied') ?? outcomes[0] ?? 'gone'
  }

  areAlive(): boolean {
    this.#update()
    return this.#members.size > 0
  }

  /** Processes that are stopped start no others, which would be orphans, and unknown, once these are killed. */
  #stop(): void {
    const stopped = new Set<number>()
    for (let round = 0; round < mostRounds; round++) {
      const others = [...this.#members.keys()].filter((pid) => !stopped.has(pid))
      if (others.length === 0) return
      for (const pid of others) {
        send(pid, 'SIGSTOP')
        stopped.add(pid)
      }
      this.#update()
    }
  }

  #update(): void {
    const table = readProcessTable()
    const startOf = new Map(table.map(({ pid, start }) => [pid, start]))
    for (const [pid, start] of this.#members) if (startOf.get(pid) !== start) this.#members.delete(pid)
    let known = 0
    while (known < this.#members.size) {
      known = this.#members.size
      for (const { pid, parent, start } of table) if (this.#members.has(parent)) this.#members.set(pid, start)
    }
  }
}
