/** What arrives in an inbox. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly token: number
      readonly serverUs: number
      readonly leaseMs: number
      readonly lock: string
    }
  | { readonly kind: 'revoked'; readonly owner: string; readonly lock: string }

/** Reads a message as the scripts write it; `null` for anything else. */
export function readNotice(message: string): Notice | null {
  const granted = /^granted (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(message)
  if (granted) {
    const [, owner = '', token, serverUs, leaseMs, lock = ''] = granted
    return {
      kind: 'granted',
      owner,
      token: Number(token),
      serverUs: Number(serverUs),
      leaseMs: Number(leaseMs),
      lock,
    }
  }
  const revoked = /^revoked (\S+) (.+)$/s.exec(message)
  if (revoked) {
    const [, owner = '', lock = ''] = revoked
    return { kind: 'revoked', owner, lock }
  }
  return null
}
