import type { Contender } from '../contender.js'
import { leaseMs } from './common.js'
import { inside } from './inside.js'

/** The parts that we use of the engine's own client. */
interface ClientModule {
  readonly Client: new (settings: object, events: object) => Client
}
interface Client {
  connect(timeoutMs: number): Promise<void>
  call(call: string, request: Buffer, timeoutMs: number): Promise<Message>
  open(call: string, events: object): object | null
  close(): void
}
type Message = object
interface WatchesModule {
  readonly Watches: new (deps: object) => Watches
}
interface Watches {
  add(range: { readonly key: string; readonly without: 'puts' }, from: number, report: () => void): () => void
  close(): void
}
interface Range {
  readonly keys: readonly { readonly key: string }[]
  readonly revision: number
}
interface Kv {
  isAbsent(key: string): Buffer
  putOf(key: string, value: string, lease: bigint): Buffer
  thenPut(put: Buffer): Buffer
  thenRange(range: Buffer): Buffer
  deleteOf(key: string): Buffer
  queueOfPrefix(prefix: string, keysOnly: boolean): Buffer
  txnOfOperations(conditions: readonly Buffer[], operations: readonly Buffer[]): Buffer
  txnOf(reply: Message): Message
  rangeAt(txn: Message, index: number): Range
  rangeOf(reply: Message): Range
}
interface Leases {
  grantOf(ttlS: number): Buffer
  byLease(lease: bigint): Buffer
  leaseOf(reply: Message): { readonly lease: bigint }
}

const timeoutMs = 10_000

/** The floor: the recipe of etcd's own `concurrency` package on the engine's own client. No retry, no notification of loss. */
export const etcdByHand: Contender = {
  library: 'etcd by hand',
  isFloor: true,
  settings: 'a key per waiter under one lease, each watches the one ahead, on the client of the engine',
  waits: 'queueing',
  async open(url) {
    const { Client } = (await inside('etcd/client/client.js')) as ClientModule
    const { Watches } = (await inside('etcd/watches.js')) as WatchesModule
    const kv = (await inside('etcd/wire/kv.js')) as Kv
    const leases = (await inside('etcd/wire/leases.js')) as Leases
    const nothing = (): void => undefined
    const client = new Client(
      { endpoints: [{ origin: url, tls: undefined }], user: undefined, silenceMs: timeoutMs },
      { connected: nothing, broken: nothing, reauthenticated: nothing },
    )
    await client.connect(timeoutMs)
    const call = (name: string, request: Buffer): Promise<Message> => client.call(name, request, timeoutMs)
    const watches = new Watches({
      open: (events: object) => client.open('Watch/Watch', events),
      refused: nothing,
    })
    const { lease } = leases.leaseOf(await call('Lease/LeaseGrant', leases.grantOf(leaseMs / 1_000)))
    const keepAlive = (): void => void call('Lease/LeaseKeepAlive', leases.byLease(lease))
    const beat = setInterval(keepAlive, leaseMs / 3)
    const whenGone = (key: string, from: number): Promise<void> =>
      new Promise((resolve) => {
        const stop = watches.add({ key, without: 'puts' }, from, () => {
          stop()
          resolve()
        })
      })
    const session = lease.toString(16)
    let owners = 0
    return {
      async enter(name) {
        const prefix = `by-hand/${name}/`
        const own = `${prefix}${session}:${++owners}`
        const list = kv.queueOfPrefix(prefix, true)
        const operations = [kv.thenPut(kv.putOf(own, '', lease)), kv.thenRange(list)]
        const reply = kv.txnOf(await call('KV/Txn', kv.txnOfOperations([kv.isAbsent(own)], operations)))
        for (let seen = kv.rangeAt(reply, 1); ; seen = kv.rangeOf(await call('KV/Range', list))) {
          const ahead = seen.keys[seen.keys.findIndex(({ key }) => key === own) - 1]
          if (!ahead) break
          await whenGone(ahead.key, seen.revision + 1)
        }
        return async () => {
          await call('KV/DeleteRange', kv.deleteOf(own))
        }
      },
      close() {
        clearInterval(beat)
        watches.close()
        client.close()
        return Promise.resolve()
      },
    }
  },
}
