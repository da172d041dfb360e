import type { EngineHost } from '../engine/host.js'
import { readNotice } from './notices.js'

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
