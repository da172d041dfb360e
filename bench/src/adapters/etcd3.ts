import { setTimeout as sleep } from 'node:timers/promises'
import type { Contender } from '../contender.js'
import { persist, pollMs } from './common.js'

/** Its lock does not wait: who wants that tries again. */
export const etcd3Lock: Contender = {
  library: 'etcd3',
  configuration: 'best',
  settings: `Lock, which does not wait: tried again after ${pollMs} ms`,
  waits: 'polling',
  async open(url) {
    const { Etcd3, EtcdLockFailedError } = await import('etcd3')
    const client = new Etcd3({ hosts: url })
    return {
      async enter(name) {
        const lock = await persist(
          async () => {
            try {
              return await client.lock(`etcd3/${name}`).acquire()
            } catch (error) {
              await sleep(pollMs)
              throw error
            }
          },
          (error) => error instanceof EtcdLockFailedError,
        )
        return () => lock.release()
      },
      close() {
        client.close()
        return Promise.resolve()
      },
    }
  },
}
