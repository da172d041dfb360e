/** A connection to memcached that carries out a command and returns the reply's first word. */
export interface Memcached {
  send(command: string): Promise<string>
}

/** `add` succeeds for one client only. */
export class AddLock {
  constructor(
    readonly memcached: Memcached,
    readonly key: string,
    readonly leaseS: number,
  ) {}

  async tryAcquire(): Promise<boolean> {
    return (await this.memcached.send(`add ${this.key} 0 ${this.leaseS} 1\r\n1\r\n`)) === 'STORED'
  }

  async release(): Promise<void> {
    await this.memcached.send(`delete ${this.key}\r\n`)
  }
}
