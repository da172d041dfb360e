// How do I change two things that have a lock each, without deadlock and without half a change?
import { forkWorker } from '@holdfast/testkit'
import { fileURLToPath } from 'node:url'
import { runExample, type ExampleContext } from './support/run-example.js'
import { accounts, readBalances, startBalance, tellers, transfersOfTeller } from './transfer/bank.js'

const program = fileURLToPath(new URL('transfer/teller.js', import.meta.url))

await runExample('transfer', async (context) => {
  const { redis } = context
  for (const account of accounts) await redis.set(account, startBalance)
  console.log(`${tellers} processes make ${transfersOfTeller} transfers each, in both directions at once.`)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: tellers }, (_, n) => work(n, context)))
  const tookMs = Math.round(performance.now() - startedAt)
  const balances = await readBalances(redis)
  for (const [i, account] of accounts.entries()) console.log(`${account.padEnd(8)} ${balances[i]}`)
  const sum = balances.reduce((total, balance) => total + balance, 0)
  const expected = accounts.length * startBalance
  console.log(`sum: ${sum} of ${expected}, after ${tellers * transfersOfTeller} transfers in ${tookMs} ms`)
  if (sum !== expected) throw new Error('money was lost or made')
})

/** Runs one teller process until it has made its transfers. */
async function work(n: number, { url, keyPrefix, defer }: ExampleContext): Promise<void> {
  const starting = forkWorker(program, { args: [url, keyPrefix, String(n)] })
  defer(async () => (await starting).kill())
  const teller = await starting
  const { type, message } = await teller.waitFor(() => true, 60_000)
  if (type !== 'done') throw new Error(`a teller failed: ${String(message)}`)
  await teller.exited
}
