import type { Command, Message, Order, Owner, Reply } from './state.js'

/**
 * One owner as the library plays it: an acquisition, then its hold, then what is sent behind their backs.
 *
 * | Phase     | stands for                                                       | leaves it on                               |
 * | --------- | ---------------------------------------------------------------- | ------------------------------------------ |
 * | idle      | not asked yet                                                    | asks → asking                              |
 * | asking    | an ask is in flight                                              | held → holding; busy → waiting; failure → resting |
 * | waiting   | the last answer was busy                                         | grant → holding; woken, late grant → asking |
 * | resting   | the last ask failed, nothing is in flight                        | grant → holding or asking; rest over → asking |
 * | holding   | the hold is live, perhaps with an `enter` or a `leave` in flight | release sent → releasing; deadline, revoked, "not held" → over |
 * | releasing | the release is on its way; no longer claims to hold              | answer → over                              |
 * | over      | the caller has its answer; a release may go on in the background | -                                          |
 * | crashed   | the process is gone                                              | -                                          |
 *
 * It abstracts from clocks (time passes by moves of its own: see time.ts), from the length of rests and timers
 * (whoever waits may ask again at any time, which covers the TTL timer, gaps and reconnects), from renewals
 * (a hold that is not renewed is one whose deadline passes), from `waitMs`, signals and `close()` (all of them:
 * gives up), from several holds per client, and from the lost fence key. Commands that hold up nothing are single steps.
 */

const send = (order: Order): Command => ({ order, reply: null, isRepeated: false, isLate: false })

export const ask = (owner: Owner): Owner => ({
  ...owner,
  phase: 'asking',
  wasRevoked: false,
  command: send(owner.isHeard || owner.isQueued ? 'ask' : 'try'),
})

export const enter = (owner: Owner): Owner => ({ ...owner, hasNested: true, command: send('enter') })

/** Leaves the inner of two leases, or releases. */
export function leave(owner: Owner): Owner {
  if (owner.count > 1) return { ...owner, count: owner.count - 1, command: send('leave') }
  return { ...owner, phase: 'releasing', count: 0, command: send(owner.inDoubt ? 'mark' : 'free') }
}

/** Ends an acquisition without a hold. An ask in flight goes on without anyone waiting for it. */
export function giveUp(owner: Owner): Owner {
  const mark = owner.inDoubt || owner.phase === 'asking'
  const over = end(letGo(owner))
  return mark || owner.isQueued ? { ...over, command: send(mark ? 'mark' : 'free') } : over
}

/** Ends a hold that is lost; `mayStillHold`: Redis may not know it yet. */
export function lose(owner: Owner, mayStillHold: boolean): Owner {
  const over = end(letGo(owner))
  return mayStillHold || owner.inDoubt ? { ...over, command: send(owner.inDoubt ? 'mark' : 'free') } : over
}

/** What it sent may still run at any time, since nothing of it comes after that. */
export const crash = (owner: Owner): Owner => ({
  ...end(letGo(owner)),
  phase: 'crashed',
  owesRelease: false,
  inbox: [],
})

/** What nobody asks about any more is forgotten, so that fewer states differ. */
const end = (owner: Owner): Owner => ({
  ...forgetWait(owner),
  phase: 'over',
  count: 0,
  hasNested: true,
  inDoubt: false,
  isOvertaken: false,
})

const forgetWait = (owner: Owner): Owner => ({
  ...owner,
  isQueued: false,
  isAnswered: false,
  wasRevoked: false,
  notice: null,
})

const hold = (owner: Owner): Owner => ({ ...forgetWait(owner), phase: 'holding', count: 1 })

/** Stops waiting for the command in flight; a request still runs before whatever is sent after it. */
function letGo(owner: Owner): Owner {
  const { command } = owner
  if (!command) return owner
  return {
    ...owner,
    command: null,
    wire: command.reply === null ? [...owner.wire, command.order] : owner.wire,
  }
}

export const withStray = (owner: Owner, order: Order): readonly Order[] => [...owner.strays, order].sort()

/** The command in flight got no answer. */
export function fail(owner: Owner): Owner {
  const { command, phase } = owner
  if (!command) return owner
  if (phase === 'asking') return accept({ ...owner, phase: 'resting', inDoubt: true, command: null })
  return sendAgain(owner, command)
}

/** Only asks and releases make something of having been sent more than once. */
export function sendAgain(owner: Owner, command: Command): Owner {
  const matters = owner.phase === 'asking' || owner.phase === 'releasing'
  return { ...owner, command: { ...command, reply: null, isRepeated: matters, isLate: false } }
}

/** The answer to the command in flight arrives. */
export function onReply(owner: Owner, reply: Reply): Owner {
  const { command } = owner
  if (!command) return owner
  const answered: Owner = { ...owner, command: null }
  switch (command.order) {
    case 'ask':
    case 'try':
      return onAskReply({ ...answered, inDoubt: owner.inDoubt || command.isRepeated }, reply, command.isLate)
    case 'enter':
      return reply === 'held' ? { ...answered, count: owner.count + 1 } : lose(answered, false)
    case 'leave':
      return reply === 'done' ? answered : lose(answered, false)
    case 'free':
    case 'mark':
      return onReleaseReply(answered, reply, command.isRepeated)
  }
}

function onAskReply(owner: Owner, reply: Reply, isLate: boolean): Owner {
  switch (reply) {
    case 'held':
      if (owner.wasRevoked) return ask(owner)
      if (isLate) return accept({ ...owner, phase: 'resting', inDoubt: true })
      return hold(owner)
    case 'queued':
    case 'unqueued':
      return accept({ ...owner, phase: 'waiting', isAnswered: true, isQueued: reply === 'queued' })
    default:
      return giveUp({ ...owner, phase: 'waiting' })
  }
}

function onReleaseReply(owner: Owner, reply: Reply, isRepeated: boolean): Owner {
  if (owner.phase === 'releasing') {
    return reply === 'not-held' && !isRepeated ? lose(owner, false) : end(owner)
  }
  return owner.owesRelease ? { ...owner, owesRelease: false, command: send('free') } : owner
}

/** A message arrives in the inbox. */
export function onMessage(owner: Owner, message: Message): Owner {
  if (message === 'revoked') return onRevoked(owner)
  switch (owner.phase) {
    case 'asking':
      return { ...owner, notice: message }
    case 'waiting':
    case 'resting':
      return accept({ ...owner, notice: message })
    case 'over':
      return owner.command ? { ...owner, owesRelease: true } : { ...owner, command: send('free') }
    default:
      return owner
  }
}

/** Grants that it has not taken up yet are worth nothing any more. */
export const outdate = (owner: Owner): Owner => ({
  ...owner,
  notice: owner.notice && 'late',
  inbox: owner.inbox.map((message) => (message === 'granted' ? 'late' : message)),
})

function onRevoked(owner: Owner): Owner {
  switch (owner.phase) {
    case 'holding':
      return lose(owner, true)
    case 'asking':
      return { ...owner, notice: null, wasRevoked: true }
    case 'waiting':
    case 'resting':
      return ask({ ...owner, notice: null })
    default:
      return owner
  }
}

/** Takes up a grant that was heard of: believed when it can be placed in time and has not ended. */
function accept(owner: Owner): Owner {
  const { notice } = owner
  if (notice === null) return owner
  const told: Owner = { ...owner, notice: null }
  if (notice === 'late' || !owner.isAnswered) return ask(told)
  return hold(told)
}
