import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { booleanIn, isFields, numberIn, stringIn, type Fields } from './fields.js'

/** An error of the peer's library; `code` is its class in Java, its code in Node.js. */
export class PeerError extends Error {
  override readonly name = 'PeerError'

  constructor(
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`)
  }
}

interface Pending {
  readonly resolve: (reply: Fields) => void
  readonly reject: (error: Error) => void
}

/**
 * A program that replies to JSON lines on its standard input with JSON lines on its standard output.
 *
 * It ends when its input ends, so it does not outlive this process.
 */
export class LineProcess {
  /** Resolves when the process has ended, for whatever reason. Never rejects. */
  readonly ended: Promise<void>
  readonly #name: string
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #hasEnded = false

  constructor(name: string, program: string, args: readonly string[]) {
    this.#name = name
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    // A failed start, and a write to a process that has ended, reject the calls.
    this.#child.on('error', (error) => this.#abandon(error.message))
    this.#child.stdin.on('error', () => undefined)
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#onLine(line))
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code: number | null, signal: NodeJS.Signals | null) => {
        this.#abandon(`it ended with ${String(signal ?? code)}`)
        resolve()
      })
    })
  }

  /** Rejects with {@link PeerError} if the program replies with an error, and with another error if it ends first. */
  call(request: Fields): Promise<Fields> {
    if (this.#hasEnded) return Promise.reject(new Error(`${this.#name} has ended`))
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#child.stdin.write(`${JSON.stringify({ ...request, id })}\n`)
    })
  }

  /** Ends the input, which makes the program end. */
  async end(): Promise<void> {
    this.#child.stdin.end()
    await this.ended
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.ended
  }

  #onLine(line: string): void {
    const reply: unknown = JSON.parse(line)
    if (!isFields(reply)) throw new Error(`${this.#name} wrote ${line}, which is not a JSON object`)
    const id = numberIn(reply, 'id')
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (booleanIn(reply, 'ok')) pending?.resolve(reply)
    else pending?.reject(new PeerError(stringIn(reply, 'error'), stringIn(reply, 'message')))
  }

  #abandon(why: string): void {
    this.#hasEnded = true
    for (const { reject } of this.#pending.values()) reject(new Error(`${this.#name}: ${why}`))
    this.#pending.clear()
  }
}
