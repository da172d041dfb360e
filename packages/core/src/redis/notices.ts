import type { EngineHost } from '../engine/host.js'

/**
 * Passes a message as the scripts write it on to the client, and ignores anything else. Anyone may publish, and a number that one cannot
 * count on from would be the last token of every lock.
 */
export function passOn(message: string, host: EngineHost): void {
  const [, kind = '', said = ''] = /^(granted|entered|open|gone|revoked|free|told) (.*)$/s.exec(message) ?? []
  switch (kind) {
    case 'granted':
      passOnGrant(said, host)
      return
    case 'entered':
      passOnGrants(said, host)
      return
    case 'told':
      // What another client has to say.
      host.onMessage(said)
      return
    case 'open':
    case 'gone': {
      const [, generation, latch] = /^(\d+) (.+)$/s.exec(said) ?? []
      if (latch === undefined) return
      if (kind === 'open') host.opened(latch, Number(generation))
      else host.missed(latch)
      return
    }
    case 'revoked':
    case 'free': {
      const [, owner, lock] = /^(\S+) (.+)$/s.exec(said) ?? []
      if (owner === undefined || lock === undefined) return
      if (kind === 'revoked') host.revoked(owner)
      // It is this owner's turn to request a free lock that it was not granted.
      else host.wake(lock, owner)
    }
  }
}

function passOnGrant(said: string, host: EngineHost): void {
  const [, owner = '', proof = '', ofToken, ofServer, ofLease, lock] =
    /^(\S+) (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(said) ?? []
  const [token, serverUs, leaseMs] = [Number(ofToken), Number(ofServer), Number(ofLease)]
  if (lock !== undefined && areExact(token, serverUs, leaseMs))
    host.granted(lock, owner, { proof, token, serverUs, leaseMs })
}

/** Owners of one client entered an object that several hold at once, in one step and with one token. */
function passOnGrants(said: string, host: EngineHost): void {
  const [, ofToken, ofServer, owners = '', main] = /^(\d+) (\d+) (\S+:\d+:[^\s:]+) (.+)$/s.exec(said) ?? []
  const [token, serverUs] = [Number(ofToken), Number(ofServer)]
  if (main === undefined || !areExact(token, serverUs)) return
  for (const text of owners.split(',')) {
    // `<owner>:<leaseMs>:<proof>`; an owner has a colon of its own.
    const leaseEnd = text.lastIndexOf(':')
    const end = text.lastIndexOf(':', leaseEnd - 1)
    const leaseMs = Number(text.slice(end + 1, leaseEnd))
    host.granted(main, text.slice(0, end), { proof: text.slice(leaseEnd + 1), token, serverUs, leaseMs })
  }
}

const areExact = (...numbers: readonly number[]): boolean => numbers.every(Number.isSafeInteger)
