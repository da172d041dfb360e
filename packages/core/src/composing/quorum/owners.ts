import { clientOf, numberOf, ownerOf } from '../../engine/owner.js'

/**
 * How owners are named at the masters. A request that may still be on its way must never be mistaken for a later one, so each
 * request of an acquisition to one master has an owner of its own: its number is that of the acquisition, with six more
 * digits. The first requests have the same owner at every master.
 */
const requestsPerAcquisition = 1_000_000

/** The number of the owner of the k-th request, from 1 on, that the n-th acquisition sends to a master. */
export const voteNumber = (n: number, k: number): number =>
  n * requestsPerAcquisition + (k % requestsPerAcquisition)

/** Redisson has a client for each master, with an id of its own: all that the owners of one thread share is its number. */
const redissonOwner = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:(-?\d+)$/

/** The owner of the acquisition that an owner at a master stands for. A thread of Redisson is `redisson:<thread>`. */
export function ownerOfVote(owner: string): string {
  const thread = redissonOwner.exec(owner)?.[1]
  if (thread !== undefined) return `redisson:${thread}`
  return owner && ownerOf(clientOf(owner), Math.floor(numberOf(owner) / requestsPerAcquisition))
}
