// One process that makes transfers between random accounts. Arguments: the URL of Redis, the key prefix, its number.
import { Holdfast } from '@holdfast/core'
import { tellParent } from '@holdfast/testkit/process'
import { Redis } from 'ioredis'
import { accounts, atOnce, transfer, transfersOfTeller } from './bank.js'

const [url = '', keyPrefix = '', n = '0'] = process.argv.slice(2)
const redis = new Redis(url, { keyPrefix })
const holdfast = new Holdfast({ redis, label: `teller ${n}` })

let left = transfersOfTeller

async function makeTransfers(): Promise<void> {
  while (left-- > 0) {
    const i = Math.floor(Math.random() * accounts.length)
    const j = (i + 1 + Math.floor(Math.random() * (accounts.length - 1))) % accounts.length
    const [from = '', to = ''] = [accounts[i], accounts[j]]
    await transfer({ holdfast, redis }, from, to, 1 + Math.floor(Math.random() * 10))
  }
}

let exitCode = 0
try {
  await Promise.all(Array.from({ length: atOnce }, makeTransfers))
  await holdfast.close()
  redis.disconnect()
  await tellParent({ type: 'done' })
} catch (error) {
  exitCode = 1
  await tellParent({ type: 'failed', message: String(error) }).catch(() => undefined)
}
// The open channel to the parent would keep this process alive.
process.exit(exitCode)
