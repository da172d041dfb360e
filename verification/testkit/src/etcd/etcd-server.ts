/** A private etcd for a test, on loopback. Nothing of it outlives this process. */
export interface EtcdServer extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Such as `http://127.0.0.1:2379`. */
  readonly url: string
  /** Everything that the server has logged so far. */
  log(): Promise<string>
  /** Ends it with SIGKILL: `restart` brings it back. */
  kill(): Promise<void>
  /** Freezes it; the system still accepts connections and bytes for it. */
  freeze(): Promise<void>
  thaw(): void
  /** A new process on the same port, after the old one was killed. Resolves when it replies. */
  restart(options?: RestartEtcdOptions): Promise<void>
  /** Resolves when it replies. */
  untilReady(): Promise<void>
  /** Stops it permanently and removes its files. A second call does nothing. */
  stop(): Promise<void>
}

export interface RestartEtcdOptions {
  /** Of one server: without its data, as a new one. @defaultValue true */
  readonly keepData?: boolean
  /** Do not wait until it replies: of a cluster it does when a majority is there. @defaultValue false */
  readonly isAsync?: boolean
}

export interface StartEtcdOptions {
  /** More arguments, such as `['--auto-compaction-mode=revision']`. */
  readonly args?: readonly string[]
  /** Files of a certificate and its key: the server speaks TLS to clients. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string; readonly ca: string }
}
