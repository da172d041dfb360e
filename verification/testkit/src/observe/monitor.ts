import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface, type Interface } from 'node:readline'

/** One command as MONITOR shows it. */
export interface MonitoredCommand {
  /** The client's address, or `lua` for a call inside a script. */
  readonly source: string
  readonly words: readonly string[]
}

/** A connection in MONITOR mode, on a bare socket: clients differ in how they read its endless reply. */
export class Monitor {
  readonly #socket: Socket
  readonly #lines: Interface

  private constructor(socket: Socket, lines: Interface) {
    this.#socket = socket
    this.#lines = lines
  }

  /** Resolves when every further command will be reported. */
  static async open(url: string, onCommand: (command: MonitoredCommand) => void): Promise<Monitor> {
    const { hostname, port, username, password } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port || 6379) })
    await once(socket, 'connect')
    const lines = createInterface({ input: socket, crlfDelay: Infinity })
    // A caller that is waiting reports the broken connection.
    socket.on('error', () => undefined)
    const started = once(lines, 'line')
    const user = decodeURIComponent(username || 'default')
    const secret = decodeURIComponent(password)
    if (secret) {
      socket.write(`AUTH ${user} ${secret}\r\n`)
      await started
    }
    const answered = secret ? once(lines, 'line') : started
    socket.write('MONITOR\r\n')
    const answer = String(await answered)
    if (answer !== '+OK') throw new Error(`MONITOR was refused: ${answer}`)
    lines.on('line', (line) => {
      const command = parseMonitorLine(line)
      if (command) onCommand(command)
    })
    return new Monitor(socket, lines)
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#lines.close()
    this.#socket.destroy()
    await closed
  }
}

/** Reads `+<time> [<db> <source>] "word" "word" …`; `null` for any other line. */
function parseMonitorLine(line: string): MonitoredCommand | null {
  const head = /^\+[\d.]+ \[\d+ ([^\]]+(?:\]:\d+)?)\] /.exec(line)
  if (!head) return null
  const words = line.slice(head[0].length).match(/"(?:\\.|[^"\\])*"/g) ?? []
  return { source: head[1] ?? '', words: words.map((word) => unescape(word.slice(1, -1))) }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' }

/** One character per byte, as in latin1: arguments may be binary. */
function unescape(word: string): string {
  return word.replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string | undefined, char: string | undefined) => {
    if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
    return escapes[char ?? ''] ?? char ?? ''
  })
}
