import type { Finding } from '@holdfast/core/engine'

/** How many of the servers may fail, which need a majority of those that vote. @param also - others, in words */
export function onVotes(check: string, votes: number, also: string): Finding {
  if (votes === 1) {
    const text = `one server${also}: while it is down there are no locks, and if its disk is lost, all are; run three`
    return { check, status: 'warning', text }
  }
  const spared = Math.ceil(votes / 2) - 1
  const text = `${votes} servers vote${also}: ${spared === 0 ? 'none' : spared} may fail`
  return votes % 2 === 1
    ? { check, status: 'ok', text }
    : { check, status: 'warning', text: `${text}, as of ${votes - 1}; run ${votes + 1}` }
}
