// One process of a service that is upgraded: does what it reads, a word a line, and answers each with a line of JSON.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'
import { holdfast } from './client.mjs'

// That of the file when the process starts.
const { version } = createRequire(import.meta.url)('@holdfast/core/package.json')
const lock = holdfast.getLock('upgrade')
let lease

const acts = {
  async lock() {
    lease = await lock.lock()
    return { token: lease.fencingTokenIfAny ?? 0 }
  },
  tryLock: async () => ({ isFree: (await lock.tryLock()) !== null }),
  waiters: async () => ({ count: (await lock.inspect()).waiterCount }),
  isHeld: () => ({ isHeld: lease.isHeld }),
  unlock: () => lease.unlock(),
}

for await (const word of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify({ word, version, ...(await acts[word]()) }))
}
await holdfast.close()
