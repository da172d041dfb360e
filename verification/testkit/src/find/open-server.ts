/** A server from any source, which others may use too. */
export interface OpenedServer {
  readonly url: string
  /** Its source, for one line of output. */
  readonly origin: string
  /** Stops it if we started it. A second call does nothing. */
  stop(): Promise<void>
}

/** Starts a server. `null`: its program is not on this machine. */
export type Step = () => Promise<OpenedServer | null>

/** How to get a server of a kind. */
export interface ServerKind {
  readonly product: string
  /** The variable that names a running one, and an example of its value. */
  readonly variable: readonly [name: string, example: string]
  /** What it is called by Homebrew, by Debian, and on PATH. */
  readonly names: readonly [brew: string, debian: string, onPath: string]
}

/** No server of a kind was found; the message says how to get one. */
export class NoServerError extends Error {
  override readonly name = 'NoServerError'

  constructor({ product, variable, names: [brew, debian, onPath] }: ServerKind, options?: ErrorOptions) {
    const ways = [
      [variable.join('='), 'a running server'],
      [`brew install ${brew}`, 'macOS'],
      [`sudo apt-get install ${debian}`, 'Debian, Ubuntu'],
      [onPath, 'on PATH, by any other means'],
    ] as const
    const width = Math.max(...ways.map(([what]) => what.length))
    super(
      [
        `No ${product} found. Any one of these is enough:`,
        ...ways.map(([what, when]) => `  ${what.padEnd(width)}  ${when}`),
        'Tests that stop servers, or need several, start their own: those need the program.',
      ].join('\n'),
      options,
    )
  }
}

/** One of our own. Throws {@link NoServerError} where there is no program, or it does not start. */
export async function openOwn(kind: ServerKind, start: Step): Promise<OpenedServer> {
  let opened: OpenedServer | null
  try {
    opened = await start()
  } catch (cause) {
    throw new NoServerError(kind, { cause })
  }
  if (opened === null) throw new NoServerError(kind)
  return opened
}

/** The server that its variable names, which is then the only one to use, else {@link openOwn}. */
export async function openServer(kind: ServerKind, start: Step): Promise<OpenedServer> {
  const [variable] = kind.variable
  const url = process.env[variable]
  if (url) return { url, origin: variable, stop: () => Promise.resolve() }
  return openOwn(kind, start)
}
