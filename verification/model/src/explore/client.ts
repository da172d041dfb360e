import type { Command, Notice, StepKind, Owner, Reply } from './state.js'

/**
 * One owner as the library plays it: an acquisition, then its hold, then what is sent in the background.
 *
 * | Phase      | Stands for                                                       | Leaves it on                               |
 * | ---------- | ---------------------------------------------------------------- | ------------------------------------------ |
 * | idle       | nothing requested yet                                            | request → requesting                       |
 * | requesting | a request is in flight                                           | held → holding; busy → waiting; failure → pausing |
 * | waiting    | the last reply was busy                                          | grant → holding; woken, late grant → requesting |
 * | pausing    | the last request failed, nothing is in flight                    | grant → holding or requesting; pause over → requesting |
 * | holding    | the hold is live, perhaps with a command of its own in flight    | release sent → releasing; deadline, revoked, "not held" → over |
 * | releasing  | the release is in flight; no longer claims to hold               | reply → over                               |
 * | over       | the caller has its result; a release may go on in the background | -                                          |
 * | crashed    | the process is dead                                              | -                                          |
 *
 * It leaves out clocks (time passes by moves of its own: see time.ts), the length of pauses and timers (a waiter may
 * repeat its request at any time, which covers the TTL timer, gaps and reconnects), renewals (a hold that is not renewed
 * is one whose deadline passes), `waitMs`, signals and `close()` (in all of them the owner gives up), several holds per
 * client, and the loss of the fencing token. Commands that nothing waits for run and return in one move.
 */

const send = (step: StepKind): Command => ({ step, reply: null, isRepeated: false, isLate: false })

export const request = (owner: Owner): Owner => ({
  ...owner,
  phase: 'requesting',
  wasRevoked: false,
  command: send(requestOf(owner)),
})

function requestOf({ isTaker, isSubscribed, isQueued }: Owner): StepKind {
  if (isTaker) return 'take over'
  return isSubscribed || isQueued ? 'request' : 'try'
}

export const enter = (owner: Owner): Owner => ({ ...owner, hasNested: true, command: send('enter') })

/** Gives back one permit of several, as a downgrade does. */
export function lower(owner: Owner): Owner {
  const count = owner.count - 1
  return { ...owner, count, command: send(`lower to ${count}`) }
}

/** Leaves the inner of two leases, or releases. */
export function leave(owner: Owner): Owner {
  if (owner.count > owner.want) return { ...owner, count: owner.count - 1, command: send('leave') }
  return { ...owner, phase: 'releasing', count: 0, command: send(owner.inDoubt ? 'abandon' : 'release') }
}

/** Leaves the only lease of its hold to the ticket. */
export const handOver = (owner: Owner): Owner => ({
  ...owner,
  phase: 'releasing',
  count: 0,
  command: send(owner.inDoubt ? 'hand over in doubt' : 'hand over'),
})

/** Ends an acquisition without a hold. A request in flight may still run. */
export function giveUp(owner: Owner): Owner {
  const mayStillRun = owner.inDoubt || owner.phase === 'requesting'
  const over = end(letGo(owner))
  return mayStillRun || owner.isQueued
    ? { ...over, command: send(mayStillRun ? 'abandon' : 'release') }
    : over
}

/** Ends a hold that is lost; `mayStillHold`: the store may still have it. */
export function lose(owner: Owner, mayStillHold: boolean): Owner {
  const over = end(letGo(owner))
  return mayStillHold || owner.inDoubt
    ? { ...over, command: send(owner.inDoubt ? 'abandon' : 'release') }
    : over
}

/** What it sent may still run at any time: the owner sends nothing after it. */
export const crash = (owner: Owner): Owner => ({
  ...end(letGo(owner)),
  phase: 'crashed',
  owesRelease: false,
  inbox: [],
})

/** Forgets what no longer matters, so that fewer states differ. */
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
  hasReply: false,
  wasRevoked: false,
  notice: null,
})

const hold = (owner: Owner): Owner => ({ ...forgetWait(owner), phase: 'holding', count: owner.want })

/** Stops waiting for the command in flight, which still runs before everything that is sent after it. */
function letGo(owner: Owner): Owner {
  const { command } = owner
  if (!command) return owner
  return {
    ...owner,
    command: null,
    wire: command.reply === null ? [...owner.wire, command.step] : owner.wire,
  }
}

export const withStray = (owner: Owner, step: StepKind): readonly StepKind[] => [...owner.strays, step].sort()

/** The command in flight got no reply. */
export function fail(owner: Owner): Owner {
  const { command, phase } = owner
  if (!command) return owner
  if (phase === 'requesting') return accept({ ...owner, phase: 'pausing', inDoubt: true, command: null })
  return sendAgain(owner, command)
}

/** That a command was sent more than once matters only to requests and releases. */
export function sendAgain(owner: Owner, command: Command): Owner {
  const matters = owner.phase === 'requesting' || owner.phase === 'releasing'
  return { ...owner, command: { ...command, reply: null, isRepeated: matters, isLate: false } }
}

/** The reply to the command in flight arrives. */
export function onReply(owner: Owner, reply: Reply): Owner {
  const { command } = owner
  if (!command) return owner
  const replied: Owner = { ...owner, command: null }
  switch (command.step) {
    case 'request':
    case 'try':
    case 'take over':
      return onRequestReply(
        { ...replied, inDoubt: owner.inDoubt || command.isRepeated },
        reply,
        command.isLate,
      )
    case 'enter':
      return reply === 'held' ? { ...replied, count: owner.count + 1 } : lose(replied, false)
    case 'release':
    case 'abandon':
      return onReleaseReply(replied, reply, command.isRepeated)
    case 'hand over':
    case 'hand over in doubt':
      return reply === 'released' ? end(replied) : lose(replied, false)
    default:
      return reply === 'released' ? replied : lose(replied, false)
  }
}

function onRequestReply(owner: Owner, reply: Reply, isLate: boolean): Owner {
  switch (reply) {
    case 'held':
      if (owner.wasRevoked) return request(owner)
      if (isLate) return accept({ ...owner, phase: 'pausing', inDoubt: true })
      return hold(owner)
    case 'queued':
    case 'unqueued':
      if (owner.isTaker) return giveUp({ ...owner, phase: 'waiting' })
      return accept({ ...owner, phase: 'waiting', hasReply: true, isQueued: reply === 'queued' })
    default:
      return giveUp({ ...owner, phase: 'waiting' })
  }
}

function onReleaseReply(owner: Owner, reply: Reply, isRepeated: boolean): Owner {
  if (owner.phase === 'releasing') {
    return reply === 'not-held' && !isRepeated ? lose(owner, false) : end(owner)
  }
  return owner.owesRelease ? { ...owner, owesRelease: false, command: send('release') } : owner
}

/** A notification arrives. */
export function onNotice(owner: Owner, notice: Notice): Owner {
  if (notice === 'revoked') return onRevoked(owner)
  switch (owner.phase) {
    case 'requesting':
      return { ...owner, notice }
    case 'waiting':
    case 'pausing':
      return accept({ ...owner, notice })
    case 'over':
      return owner.command ? { ...owner, owesRelease: true } : { ...owner, command: send('release') }
    default:
      return owner
  }
}

/** Grants that it has not accepted yet have ended. */
export const outdate = (owner: Owner): Owner => ({
  ...owner,
  notice: owner.notice && 'late',
  inbox: owner.inbox.map((notice) => (notice === 'granted' ? 'late' : notice)),
})

function onRevoked(owner: Owner): Owner {
  switch (owner.phase) {
    case 'holding':
      return lose(owner, true)
    case 'requesting':
      return { ...owner, notice: null, wasRevoked: true }
    case 'waiting':
    case 'pausing':
      return request({ ...owner, notice: null })
    default:
      return owner
  }
}

/** Accepts a grant that it was notified of, if that can be placed in time and has not ended. */
function accept(owner: Owner): Owner {
  const { notice } = owner
  if (notice === null) return owner
  const notified: Owner = { ...owner, notice: null }
  if (notice === 'late' || !owner.hasReply) return request(notified)
  return hold(notified)
}
