import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { guard } from './reaper.js'
import { freezeProcess, isRunning, killProcess, thawProcess } from './signals.js'

/** What workers and tests send each other: JSON with a type. */
export interface WorkerMessage {
  readonly type: string
  readonly [field: string]: unknown
}

export interface ForkWorkerOptions {
  readonly args?: readonly string[]
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments for Node itself. Those of the test runner's process are not inherited. */
  readonly nodeArgs?: readonly string[]
}

export interface WorkerExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A Node process that a test drives, kills, freezes. It does not outlive the test's process. */
export interface Worker extends AsyncDisposable {
  readonly pid: number
  /** Whether the process has not ended; true for a frozen one. */
  readonly isRunning: boolean
  /** All messages from the worker so far, oldest first. */
  readonly messages: readonly WorkerMessage[]
  /** Resolves when the process has ended, for whatever reason. Never rejects. */
  readonly exited: Promise<WorkerExit>
  /** Resolves when the system has the message. Rejects when the worker has ended. */
  send(message: WorkerMessage): Promise<void>
  /**
   * The oldest matching message that no earlier `waitFor` has returned; waits for one if necessary.
   *
   * Rejects when the worker ends first, or after `timeoutMs` (default 120_000).
   */
  waitFor(match: string | ((message: WorkerMessage) => boolean), timeoutMs?: number): Promise<WorkerMessage>
  /** Sends the signal (default SIGKILL) and resolves when the process has ended. */
  kill(signal?: NodeJS.Signals): Promise<WorkerExit>
  /** SIGSTOP: its timers, sockets and event loop stop. */
  freeze(): Promise<void>
  thaw(): void
}

/**
 * Runs an ECMAScript module in a plain Node process with a message channel.
 *
 * In the module, `tellParent` and `fromParent` are the other end. Resolves when the process runs.
 */
export async function forkWorker(file: string, options: ForkWorkerOptions = {}): Promise<Worker> {
  const child = fork(file, options.args ?? [], {
    env: { ...process.env, ...options.env },
    execArgv: [...(options.nodeArgs ?? [])],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  guard(child)
  const worker = new ForkedWorker(file, child)
  await once(child, 'spawn')
  return worker
}

interface Waiter {
  readonly matches: (message: WorkerMessage) => boolean
  readonly resolve: (message: WorkerMessage) => void
  readonly reject: (error: Error) => void
}

class ForkedWorker implements Worker {
  readonly messages: WorkerMessage[] = []
  readonly exited: Promise<WorkerExit>
  readonly #file: string
  readonly #child: ChildProcess
  readonly #unread: WorkerMessage[] = []
  readonly #waiters = new Set<Waiter>()
  #exit: WorkerExit | null = null

  constructor(file: string, child: ChildProcess) {
    this.#file = file
    this.#child = child
    child.on('message', (message) => {
      if (isWorkerMessage(message)) this.#onMessage(message)
    })
    // A failed start or send also rejects the call that asked for it.
    child.on('error', () => undefined)
    this.exited = new Promise((resolve) => {
      // Not 'exit': messages sent just before the end arrive after it.
      child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
        this.#exit = { code, signal }
        for (const waiter of this.#waiters) waiter.reject(this.#ended(this.#exit))
        resolve(this.#exit)
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  get isRunning(): boolean {
    return isRunning(this.#child)
  }

  send(message: WorkerMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.send(message, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  waitFor(
    match: string | ((message: WorkerMessage) => boolean),
    timeoutMs = 120_000,
  ): Promise<WorkerMessage> {
    const matches = typeof match === 'string' ? (message: WorkerMessage) => message.type === match : match
    const at = this.#unread.findIndex(matches)
    const [message] = at === -1 ? [] : this.#unread.splice(at, 1)
    if (message) return Promise.resolve(message)
    if (this.#exit) return Promise.reject(this.#ended(this.#exit))
    return new Promise((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
      }
      const waiter: Waiter = {
        matches,
        resolve: (found) => {
          settle()
          resolve(found)
        },
        reject: (error) => {
          settle()
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        const wanted = typeof match === 'string' ? `'${match}'` : 'the expected message'
        waiter.reject(
          new Error(
            `${this.#name()} did not send ${wanted} within ${String(timeoutMs)} ms${this.#lastMessages()}`,
          ),
        )
      }, timeoutMs)
      this.#waiters.add(waiter)
    })
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<WorkerExit> {
    await killProcess(this.#child, signal)
    return this.exited
  }

  freeze(): Promise<void> {
    return freezeProcess(this.#child)
  }

  thaw(): void {
    thawProcess(this.#child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }

  #onMessage(message: WorkerMessage): void {
    this.messages.push(message)
    for (const waiter of this.#waiters) {
      if (!waiter.matches(message)) continue
      waiter.resolve(message)
      return
    }
    this.#unread.push(message)
  }

  #name(): string {
    return `worker ${this.#file} (pid ${String(this.pid)})`
  }

  #ended({ code, signal }: WorkerExit): Error {
    return new Error(`${this.#name()} ended with ${String(signal ?? code)}${this.#lastMessages()}`)
  }

  #lastMessages(): string {
    const last = this.messages.slice(-3).map((message) => JSON.stringify(message))
    return last.length === 0 ? '; it never sent a message' : `; its last messages: ${last.join(', ')}`
  }
}

function isWorkerMessage(value: unknown): value is WorkerMessage {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
}
