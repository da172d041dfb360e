import type { Lease } from '@holdfast/core'
import { storeVariables } from '../connect/store-variables.js'

/** What the command does not get of our own environment. */
export interface Withheld {
  /** Where the locks are, with passwords. */
  readonly store: boolean
}

/** What the command gets to know of its lock, added to our own environment. */
export function environmentOf(
  lease: Lease,
  withheld: Withheld,
  own: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // The token of an outer lock is none of this one.
  const without = new Set(['HOLDFAST_FENCING_TOKEN', ...(withheld.store ? storeVariables : [])])
  const outer = outerOwners(own)
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !without.has(name))),
    HOLDFAST_LOCK: lease.name,
    HOLDFAST_OWNER: lease.owner,
    ...(outer.length > 0 && { HOLDFAST_OUTER_OWNERS: outer.join(' ') }),
    ...tokenOf(lease),
  }
}

/** The owners of the locks that this process runs under itself, the outermost first. */
export function outerOwners(own: NodeJS.ProcessEnv = process.env): string[] {
  const { HOLDFAST_OUTER_OWNERS = '', HOLDFAST_OWNER = '' } = own
  return [...HOLDFAST_OUTER_OWNERS.split(' '), HOLDFAST_OWNER].filter((owner) => owner !== '')
}

function tokenOf(lease: Lease): { HOLDFAST_FENCING_TOKEN?: string } {
  try {
    return { HOLDFAST_FENCING_TOKEN: String(lease.fencingToken) }
  } catch {
    // An engine without tokens.
    return {}
  }
}
