import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { booleanIn, isFields, numberIn, stringIn, type Fields } from './answer.js'

/** What the peer's library threw: its class in Java, its code in Node. */
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
  readonly resolve: (answer: Fields) => void
  readonly reject: (error: Error) => void
}

/**
 * A program that answers JSON lines on its standard input by JSON lines on its standard output.
 *
 * It ends by itself when its input ends, so it does not outlive this process.
 */
export class LineProcess {
  /** Resolves when the process is gone, however it went. Never rejects. */
  readonly ended: Promise<void>
  readonly #name: string
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #isGone = false

  constructor(name: string, program: string, args: readonly string[]) {
    this.#name = name
    this.#child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    // A failed start and a write to a process that is gone show in the calls.
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

  /** Rejects with {@link PeerError} where the program answers with an error, and when it ends first. */
  call(request: Fields): Promise<Fields> {
    if (this.#isGone) return Promise.reject(new Error(`${this.#name} is gone`))
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#child.stdin.write(`${JSON.stringify({ ...request, id })}\n`)
    })
  }

  /** Ends the input, upon which the program ends. */
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
    const answer: unknown = JSON.parse(line)
    if (!isFields(answer)) throw new Error(`${this.#name} said ${line}`)
    const id = numberIn(answer, 'id')
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (booleanIn(answer, 'ok')) pending?.resolve(answer)
    else pending?.reject(new PeerError(stringIn(answer, 'error'), stringIn(answer, 'message')))
  }

  #abandon(why: string): void {
    this.#isGone = true
    for (const { reject } of this.#pending.values()) reject(new Error(`${this.#name}: ${why}`))
    this.#pending.clear()
  }
}
