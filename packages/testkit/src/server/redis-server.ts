export interface StartRedisOptions {
  /** Further arguments of redis-server, after ours, so that they win. */
  readonly args?: readonly string[]
  /** @defaultValue a free port */
  readonly port?: number
}

export interface RestartOptions {
  /** `false` keeps the data, which only a running server can give. @defaultValue true */
  readonly empty?: boolean
}

/** A Redis of the test's own, on loopback, without persistence. Nothing of it outlives this process. */
export interface RedisServer extends AsyncDisposable {
  readonly url: string
  readonly host: string
  readonly port: number
  /** The server's process; `null` while it is down or when it runs in a container. */
  readonly pid: number | null
  /** Sends one command on a connection of its own. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>
  /** Differs after every restart. */
  runId(): Promise<string>
  /** Ends the server for good and removes its files. A second call does nothing. */
  stop(): Promise<void>
  /** Ends the server with SIGKILL; `restart` brings it back. */
  kill(): Promise<void>
  /** The server stops where it is; the system still accepts connections and bytes for it. */
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** A new process on the same port, empty unless told otherwise. Resolves when it answers. */
  restart(options?: RestartOptions): Promise<void>
}
