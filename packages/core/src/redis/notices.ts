import type { EngineHost } from '../engine/host.js'

/** One of those that entered in one step. */
interface NoticedOwner {
  readonly owner: string
  readonly proof: string
  readonly leaseMs: number
}

/** What arrives in an inbox. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly proof: string
      readonly token: number
      readonly serverUs: number
      readonly leaseMs: number
      readonly lock: string
    }
  /** Owners of one client entered an object that several hold at once, in one step and with one token. */
  | {
      readonly kind: 'entered'
      readonly token: number
      readonly serverUs: number
      readonly owners: readonly NoticedOwner[]
      readonly main: string
    }
  /** A latch opened, or is gone. */
  | { readonly kind: 'open' | 'gone'; readonly generation: number; readonly latch: string }
  | { readonly kind: 'revoked'; readonly owner: string; readonly lock: string }
  /** What another client has to say. */
  | { readonly kind: 'told'; readonly text: string }
  /** It is this owner's turn to request a free lock that it was not granted. */
  | { readonly kind: 'free'; readonly owner: string; readonly lock: string }

/**
 * Reads a message as the scripts write it; `null` for anything else. Anyone may publish, and a number that one cannot
 * count on from would be the last token of every lock.
 */
export function readNotice(message: string): Notice | null {
  const granted = /^granted (\S+) (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(message)
  if (granted) {
    const [, owner = '', proof = '', ofToken, ofServer, ofLease, lock = ''] = granted
    const [token, serverUs, leaseMs] = [Number(ofToken), Number(ofServer), Number(ofLease)]
    return areExact(token, serverUs, leaseMs)
      ? { kind: 'granted', owner, proof, token, serverUs, leaseMs, lock }
      : null
  }
  const entered = /^entered (\d+) (\d+) (\S+:\d+:[^\s:]+) (.+)$/s.exec(message)
  if (entered) {
    const [, ofToken, ofServer, owners = '', main = ''] = entered
    const [token, serverUs] = [Number(ofToken), Number(ofServer)]
    return areExact(token, serverUs)
      ? { kind: 'entered', token, serverUs, owners: owners.split(',').map(readLease), main }
      : null
  }
  const latch = /^(open|gone) (\d+) (.+)$/s.exec(message)
  if (latch) {
    const [, kind, generation, key = ''] = latch
    return { kind: kind === 'open' ? 'open' : 'gone', generation: Number(generation), latch: key }
  }
  const other = /^(revoked|free) (\S+) (.+)$/s.exec(message)
  if (other) {
    const [, kind, owner = '', lock = ''] = other
    return { kind: kind === 'free' ? 'free' : 'revoked', owner, lock }
  }
  const [, text] = /^told (.*)$/s.exec(message) ?? []
  return text === undefined ? null : { kind: 'told', text }
}

const areExact = (...numbers: readonly number[]): boolean => numbers.every(Number.isSafeInteger)

/** `<owner>:<leaseMs>:<proof>`; an owner has a colon of its own. */
function readLease(text: string): NoticedOwner {
  const leaseEnd = text.lastIndexOf(':')
  const end = text.lastIndexOf(':', leaseEnd - 1)
  const leaseMs = Number(text.slice(end + 1, leaseEnd))
  return { owner: text.slice(0, end), proof: text.slice(leaseEnd + 1), leaseMs }
}

/** Passes a message from the inbox on to the client; ignores anything that is not a notice. */
export function passOn(
  message: string,
  host: Pick<EngineHost, 'granted' | 'revoked' | 'wake' | 'opened' | 'onMessage' | 'missed'>,
): void {
  const notice = readNotice(message)
  switch (notice?.kind) {
    case 'granted': {
      const { lock, owner, proof, token, serverUs, leaseMs } = notice
      host.granted(lock, owner, { proof, token, serverUs, leaseMs })
      return
    }
    case 'entered': {
      const { main, owners, token, serverUs } = notice
      for (const { owner, proof, leaseMs } of owners)
        host.granted(main, owner, { proof, token, serverUs, leaseMs })
      return
    }
    case 'revoked':
      host.revoked(notice.owner)
      return
    case 'open':
      host.opened(notice.latch, notice.generation)
      return
    case 'gone':
      host.missed(notice.latch)
      return
    case 'free':
      host.wake(notice.lock, notice.owner)
      return
    case 'told':
      host.onMessage(notice.text)
      return
    case undefined:
  }
}
