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

/** The owner of the acquisition that an owner at a master stands for. */
export const ownerOfVote = (owner: string): string =>
  owner && ownerOf(clientOf(owner), Math.floor(numberOf(owner) / requestsPerAcquisition))
