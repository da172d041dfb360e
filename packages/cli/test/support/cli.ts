import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { guardPid, sharedRedisUrl, until } from '@holdfast/testkit'

/** The words that start `holdfast`. */
export const holdfastWords = [process.execPath, join(__dirname, '../../dist/main.cjs')]

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliOptions {
  /** Of the server. @defaultValue the shared one */
  readonly url?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Run by another program, such as `script`, which gets the command line of holdfast as one text. */
  readonly under?: (commandLine: string) => readonly string[]
  readonly input?: string
  /** Whether stdout is read from the start. @defaultValue true */
  readonly isRead?: boolean
}

const running = new Set<Cli>()

// Only what a failed test leaves behind.
afterEach(() => {
  for (const cli of running) cli.kill('SIGKILL')
})

/** A running `holdfast`. It does not outlive the test's process. */
export class Cli {
  stdout = ''
  stderr = ''
  readonly #child: ChildProcess
  readonly #closed: Promise<unknown>

  constructor(
    args: readonly string[],
    { url = sharedRedisUrl(), env = {}, under, input, isRead = true }: CliOptions = {},
  ) {
    const line = [...holdfastWords, ...args]
    const [first = '', ...rest] = under ? under(line.map(quoted).join(' ')) : line
    this.#child = spawn(first, rest, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, HOLDFAST_REDIS_URL: url, ...env },
    })
    const release = guardPid(this.pid)
    running.add(this)
    this.#closed = once(this.#child, 'close').finally(() => {
      running.delete(this)
      release()
    })
    if (isRead) this.read()
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text))
    this.#child.stdin?.on('error', () => undefined)
    if (input !== undefined) this.#child.stdin?.end(input)
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Reads stdout from now on. */
  read(): void {
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => (this.stdout += text))
  }

  type(text: string): void {
    this.#child.stdin?.write(text)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves with what the pattern matches in stdout. */
  async untilStdout(pattern: RegExp): Promise<RegExpExecArray> {
    return until(() => pattern.exec(this.stdout), {
      what: () => `${pattern.source} in ${this.#all()}`,
    })
  }

  async untilStderr(pattern: RegExp): Promise<RegExpExecArray> {
    return until(() => pattern.exec(this.stderr), {
      what: () => `${pattern.source} in ${this.#all()}`,
    })
  }

  async ended(): Promise<Ended> {
    let isClosed = false
    void this.#closed.then(() => (isClosed = true))
    await until(() => isClosed, { timeoutMs: 120_000, what: () => `the end of it; ${this.#all()}` })
    const { exitCode: code, signalCode: signal } = this.#child
    return { code, signal, stdout: this.stdout, stderr: this.stderr }
  }

  #all(): string {
    return `stdout: ${this.stdout}\nstderr: ${this.stderr}`
  }
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs `holdfast` to its end. */
export const runCli = (args: readonly string[], options?: CliOptions): Promise<Ended> =>
  new Cli(args, options).ended()

/**
 * Runs `holdfast` until its output matches. Other clients reply within a few hundred milliseconds or not at all, and on a busy
 * machine their replies may be missing the first time.
 */
export async function runCliUntil(
  pattern: RegExp,
  args: readonly string[],
  options?: CliOptions,
): Promise<Ended> {
  let last: Ended | undefined
  return until(
    async () => {
      last = await runCli(args, options)
      return pattern.test(last.stdout + last.stderr) ? last : null
    },
    { what: () => `${pattern.source} in ${JSON.stringify(last)}` },
  )
}
