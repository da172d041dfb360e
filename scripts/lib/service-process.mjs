// A process that does what it reads: see test/consumers/upgrade.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { until } from '@holdfast/testkit'

export class ServiceProcess {
  #child
  #answers = []
  #ending

  constructor(file) {
    this.#child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
    // Its standard input ends with this process, and so does it.
    this.#child.once('exit', (code, signal) => (this.#ending = code ?? signal))
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#answers.push(JSON.parse(line)))
  }

  /** Has it do something, and does not wait for it. */
  says(word) {
    this.#child.stdin.write(`${word}\n`)
  }

  /** What it answered to the oldest word of this kind. */
  async next(word) {
    await until(() => this.#answers.some((answer) => answer.word === word) || this.#ending !== undefined, {
      what: `an answer to ${word}`,
    })
    const at = this.#answers.findIndex((answer) => answer.word === word)
    if (at === -1) throw new Error(`it ended with ${this.#ending} before it answered to ${word}`)
    return this.#answers.splice(at, 1)[0]
  }

  /** Resolves when it has released what it holds, and ended by itself. */
  async end() {
    const ended = once(this.#child, 'exit')
    this.#child.stdin.end()
    const [code] = await ended
    if (code !== 0) throw new Error(`it ended with ${code}`)
  }

  async does(word) {
    this.says(word)
    return this.next(word)
  }

  /** Asks until the answer is as wanted. */
  until(word, isWanted) {
    return until(async () => isWanted(await this.does(word)), {
      what: `${word} to be as wanted`,
      everyMs: 100,
    })
  }
}
