import { randomUUID } from 'node:crypto'
import { Monitor, until, withRedis, type MonitoredCommand } from '@holdfast/testkit'
import type { Recording, Sent } from './recording.js'

type Entry = Sent & Pick<MonitoredCommand, 'source'>

/** Records what all clients of a server send, in the order in which the server carries it out. */
export class Tape {
  readonly #url: string
  readonly #entries: Entry[] = []
  #beginsAt = 0

  constructor(url: string) {
    this.#url = url
  }

  /** Runs the callback while everything is recorded. */
  async run<T>(drive: () => Promise<T>): Promise<T> {
    const monitor = await Monitor.open(this.#url, (command) => this.#add(command))
    try {
      return await drive()
    } finally {
      await monitor.close()
    }
  }

  /** Cycles begin here; the last call counts. */
  async begin(): Promise<void> {
    await this.#catchUp()
    this.#beginsAt = this.#entries.length
  }

  /** Resolves when clients have sent this many commands of that kind since `begin`. */
  async whenSent(count: number, isWanted: (sent: Sent) => boolean = () => true): Promise<void> {
    const sent = (): number => this.#entries.slice(this.#beginsAt).filter(isWanted).length
    await until(() => sent() >= count, { what: `${count} commands`, everyMs: 1, timeoutMs: 60_000 })
  }

  /** Cycles end here. Returns everything that was sent so far. */
  async end(cycles: number): Promise<Recording> {
    await this.#catchUp()
    return {
      before: this.#entries.slice(0, this.#beginsAt),
      during: this.#entries.slice(this.#beginsAt),
      cycles,
    }
  }

  #add({ source, words }: MonitoredCommand): void {
    const last = this.#entries.at(-1)
    // The calls of a script come right after the script.
    if (source !== 'lua') this.#entries.push({ source, words, commands: isScript(words) ? 0 : 1 })
    else if (last) this.#entries.splice(-1, 1, { ...last, commands: last.commands + 1 })
  }

  /** MONITOR shows commands in the order of execution, so after the marker none is outstanding. */
  async #catchUp(): Promise<void> {
    const marker = randomUUID()
    const from = this.#entries.length
    await withRedis(this.#url, (redis) => redis.echo(marker))
    const since = (): Entry[] => this.#entries.slice(from)
    const ours = await until(() => since().find(({ words }) => words[1] === marker), {
      what: 'MONITOR to show the last command',
      everyMs: 1,
    })
    this.#entries.splice(from, Infinity, ...since().filter(({ source }) => source !== ours.source))
  }
}

const isScript = ([name = '']: readonly string[]): boolean => /^eval/i.test(name)
