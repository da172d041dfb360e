import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { guardPid, until } from '@holdfast/testkit'

/** The service of `test/app/service.ts`, as a process. */
export class Service implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly url: string
  readonly #output: { text: string }

  private constructor(child: ChildProcess, url: string, output: { text: string }) {
    this.#child = child
    this.url = url
    this.#output = output
  }

  static async start(
    out: string,
    redis: string,
    folder: string,
    options: readonly string[],
  ): Promise<Service> {
    const child = spawn(process.execPath, [join(out, 'service.js'), redis, folder, ...options])
    if (child.pid !== undefined) guardPid(child.pid)
    const output = { text: '' }
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => (output.text += String(data)))
    const url = await until(() => /http:\S+/.exec(output.text)?.[0], {
      what: () => `a service to listen; it says: ${output.text}`,
    })
    return new Service(child, url, output)
  }

  /** What it has logged. */
  get log(): string {
    return this.#output.text
  }

  /** Resolves once it has ended. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill(signal)
    await exited
  }

  async status(path: string): Promise<number> {
    const response = await fetch(`${this.url}${path}`, { headers: { connection: 'close' } })
    await response.arrayBuffer()
    return response.status
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end('SIGKILL')
  }
}
