import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import clientFile from './client-file.cjs'
import { until } from './until.js'

const run = promisify(execFile)

/** JSON with a type. */
export interface Message {
  readonly type: string
  readonly [field: string]: unknown
}

/** A process of Node.js that is driven by messages, killed and frozen. It ends with this one. */
export class ClientProcess {
  readonly #child: ChildProcess
  readonly #unread: Message[] = []
  #ending: string | undefined

  constructor(args: readonly string[]) {
    // The test runner's own arguments for Node.js are not for this process.
    this.#child = fork(clientFile(), args, { execArgv: [] })
    this.#child.on('message', (message: Message) => this.#unread.push(message))
    // A failed start or send also rejects the call that asked for it.
    this.#child.on('error', (error) => (this.#ending ??= String(error)))
    const kill = (): void => void this.#child.kill('SIGKILL')
    process.once('exit', kill)
    this.#child.once('close', (code: number | null, signal: string | null) => {
      process.off('exit', kill)
      this.#ending ??= String(signal ?? code)
    })
  }

  /** Resolves when the system has the message. */
  send(message: Message): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#child.send(message, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  /** The oldest message of that type that was not returned yet. Rejects when the process ends first. */
  async waitFor(type: string, timeoutMs = 60_000): Promise<Message> {
    const found = await until(() => this.#taken(type) ?? this.#ending, {
      what: () => `'${type}' from a client's process, which sent ${JSON.stringify(this.#unread.slice(-3))}`,
      timeoutMs,
    })
    if (typeof found !== 'string') return found
    throw new Error(`a client's process ended with ${found} before it sent '${type}'`)
  }

  /** Resolves once the system shows it as stopped: until then it may still handle a message. */
  async freeze(): Promise<void> {
    this.#child.kill('SIGSTOP')
    await until(async () => (await stateOf(this.#child.pid ?? 0)).startsWith('T'), {
      what: 'a process to stop',
    })
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    if (this.#ending !== undefined) return
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGKILL')
    await closed
  }

  #taken(type: string): Message | undefined {
    const at = this.#unread.findIndex((message) => message.type === type)
    return at === -1 ? undefined : this.#unread.splice(at, 1)[0]
  }
}

/** The letter that ps shows: R, S, T, Z … */
async function stateOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may itself contain parentheses and spaces.
    return stat.slice(stat.lastIndexOf(')') + 2)
  }
  const { stdout } = await run('ps', ['-o', 'state=', '-p', String(pid)])
  return stdout.trim()
}
