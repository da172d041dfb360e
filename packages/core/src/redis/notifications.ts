import type { EngineHost } from '../engine/session.js'
import { readNotice } from './notices.js'

/** Where the largest fencing token seen is remembered. */
interface TokenMemory {
  sawToken(token: number): void
}

/** Passes a message from the inbox on to the client; ignores anything that is not a notice. */
export function passOn(
  message: string,
  host: Pick<EngineHost, 'granted' | 'revoked' | 'wake' | 'opened' | 'told' | 'missed'>,
  tokens: TokenMemory,
): void {
  const notice = readNotice(message)
  switch (notice?.kind) {
    case 'granted': {
      const { lock, owner, token, serverUs, leaseMs } = notice
      tokens.sawToken(token)
      host.granted(lock, owner, { proof: '', token, serverUs, leaseMs })
      return
    }
    case 'entered': {
      const { main, owners, token, serverUs } = notice
      tokens.sawToken(token)
      for (const { owner, leaseMs } of owners)
        host.granted(main, owner, { proof: '', token, serverUs, leaseMs })
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
      host.told(notice.text)
      return
    case undefined:
  }
}
