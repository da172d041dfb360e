import type { Connection } from './client/connection.js'
import { UnfitServerError } from './client/failures.js'
import type { Reply } from './client/reply-stream.js'

export interface User {
  readonly username: string
  readonly password: string
}

/** What a server says of itself. */
export interface ServerWord {
  /** The reply to `version`. */
  readonly version: string
  /** Of `stats settings`. */
  readonly settings: ReadonlyMap<string, string>
}

/** The connection, as far as a greeting goes. */
type Greeted = Pick<Connection, 'send' | 'isOpen'>

/** The ASCII protocol has a user log in by a `set` of any key. A server that wants no user takes it for what it is, and forgets it at once. */
const login = ({ username, password }: User): string => {
  const text = `${username} ${password}`
  return `set holdfast 0 -1 ${Buffer.byteLength(text)}\r\n${text}\r\n`
}

/** Any server and any proxy replies to it. */
const harmless = 'get holdfast:nothing\r\n'
/** Once may be a server that ends. */
const fewestHangUps = 2

/** Logs in on new connections of a client, and asks the server what it is. */
export class Greeting {
  readonly #user: User | undefined
  /** How often in a row the connection was closed where a server would have said its version. */
  #hangUps = 0

  constructor(user: User | undefined) {
    this.#user = user
  }

  /** @throws `UnfitServerError` for a wrong password, and for what does not speak as memcached does */
  async introduce(connection: Greeted, timeoutMs: number): Promise<ServerWord> {
    if (this.#user) {
      const [reply] = await connection.send([login(this.#user)], timeoutMs)
      if (reply?.code !== 'STORED') {
        const why = `it rejected the password of user ${this.#user.username}: check user and password`
        throw new UnfitServerError(`${why} (${lineOf(reply)})`)
      }
    }
    const [first] = await connection.send([harmless], timeoutMs)
    if (lineOf(first).includes('unauthenticated')) {
      throw new UnfitServerError(
        'it has an --auth-file: give memcached() the user and password of one of its lines',
      )
    }
    if (first?.code !== 'END' && first?.code !== 'SERVER_ERROR')
      throw new UnfitServerError(`it is not memcached: it replied '${lineOf(first).slice(0, 80)}' to get`)
    const [version, settings] = await this.#ask(connection, timeoutMs)
    return { version: lineOf(version), settings: settings?.stats ?? new Map<string, string>() }
  }

  async #ask(connection: Greeted, timeoutMs: number): Promise<readonly Reply[]> {
    try {
      const replies = await connection.send(['version\r\n', 'stats settings\r\n'], timeoutMs)
      this.#hangUps = 0
      return replies
    } catch (error) {
      if (connection.isOpen) throw error
      this.#hangUps += 1
      if (this.#hangUps < fewestHangUps) throw error
      const why = 'it replies to get and hangs up at version, as a proxy such as twemproxy does'
      throw new UnfitServerError(`${why}: give the url of one memcached itself`, { cause: error })
    }
  }
}

const lineOf = (reply: Reply | undefined): string => (reply ? [reply.code, ...reply.words].join(' ') : '')
