import type { Holdfast } from '@holdfast/core'
import type { Redis } from 'ioredis'

export const accounts = ['alice', 'bob', 'carol']
export const startBalance = 1_000
export const tellers = 3
export const transfersOfTeller = 100
/** How many transfers a teller works on at a time. */
export const atOnce = 10

export const readBalances = (redis: Redis): Promise<number[]> =>
  Promise.all(accounts.map(async (account) => Number(await redis.get(account))))

/**
 * Moves money between two accounts. No other caller changes either of them in that time, and a transfer in the opposite direction
 * at the same time cannot deadlock: both calls acquire the two locks in the same order.
 */
export async function transfer(
  { holdfast, redis }: { readonly holdfast: Holdfast; readonly redis: Redis },
  from: string,
  to: string,
  amount: number,
): Promise<void> {
  await holdfast.getMultiLock([`account:${from}`, `account:${to}`]).withLock(async (lease) => {
    const [fromBalance, toBalance] = await Promise.all([redis.get(from), redis.get(to)])
    lease.assertHeld()
    await redis.set(from, Number(fromBalance) - amount)
    await redis.set(to, Number(toBalance) + amount)
  })
}
