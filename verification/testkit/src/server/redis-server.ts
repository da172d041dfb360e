export interface StartRedisOptions {
  /** Further arguments of redis-server, after ours, so that they take precedence. */
  readonly args?: readonly string[]
  /** @defaultValue a free port */
  readonly port?: number
  /** The path of the server program to run. @defaultValue whichever is found first */
  readonly program?: string
  /** A program with its arguments that is to run the server, such as valgrind. */
  readonly under?: readonly string[]
}

export interface RestartOptions {
  /** `false` keeps the data, which requires a running server. @defaultValue true */
  readonly empty?: boolean
}

/** A private Redis for a test, on loopback, without persistence. Nothing of it outlives this process. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  readonly host: string
  readonly port: number
  /** The server's process; `null` while it is down. */
  readonly pid: number | null
  /** Sends one command on a new connection. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  /** Differs after every restart. */
  runId(): Promise<string>
  /** Stops the server permanently and removes its files. A second call does nothing. */
  stop(): Promise<void>
  /** Ends the server with SIGKILL; `restart` brings it back. */
  kill(): Promise<void>
  /** Freezes the server; the system still accepts connections and bytes for it. */
  freeze(): Promise<void>
  thaw(): void | Promise<void>
  /** A new process on the same port, empty by default. Resolves when it replies. */
  restart(options?: RestartOptions): Promise<void>
}
