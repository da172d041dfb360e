/** etcd's own gateway for JSON: what a test does to a server besides using its locks. */
export class Gateway {
  readonly #url: string
  #token: string | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** @param path - such as `kv/range` */
  async post(path: string, body: object): Promise<Reply> {
    const headers = this.#token === undefined ? {} : { authorization: this.#token }
    const reply = await fetch(`${this.#url}/v3/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${path}: ${text}`)
    return JSON.parse(text) as Reply
  }

  async authenticate(name: string, password: string): Promise<void> {
    this.#token = (await this.post('auth/authenticate', { name, password })).token
  }

  /** The keys that begin with a prefix. */
  async keys(prefix: string): Promise<string[]> {
    const end = prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)
    const { kvs = [] } = await this.post('kv/range', {
      key: base64(prefix),
      range_end: base64(end),
      keys_only: true,
    })
    return kvs.map(({ key }) => Buffer.from(key, 'base64').toString())
  }

  async delete(key: string): Promise<void> {
    await this.post('kv/deleterange', { key: base64(key) })
  }

  /** Forgets all that happened before now. */
  async compact(): Promise<void> {
    const put = { key: base64('other'), value: base64('x') }
    await this.post('kv/put', put)
    const { header } = await this.post('kv/put', put)
    await this.post('kv/compaction', { revision: header?.revision, physical: true })
  }

  /** Ends a lease, as its time would. */
  async revoke(lease: string): Promise<void> {
    await this.post('lease/revoke', { ID: BigInt(`0x${lease}`).toString() })
  }

  /** How many calls of each of these methods the server has begun. */
  async calls(): Promise<Record<string, number>> {
    const metrics = await (await fetch(`${this.#url}/metrics`)).text()
    const counts: Record<string, number> = {}
    for (const [, method = '', count] of metrics.matchAll(started)) {
      counts[method] = (counts[method] ?? 0) + Number(count)
    }
    return counts
  }
}

const started = /^grpc_server_started_total\{grpc_method="(\w+)".*\} (\d+)$/gm

export const base64 = (text: string): string => Buffer.from(text).toString('base64')

interface Reply {
  readonly header?: { readonly revision: string }
  readonly token?: string
  readonly kvs?: readonly { readonly key: string }[]
}
