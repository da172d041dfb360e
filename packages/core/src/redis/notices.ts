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
  /** It is this owner's turn to request a free lock that is shared with Redisson. */
  | { readonly kind: 'free'; readonly owner: string; readonly lock: string }

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
  const other = /^(revoked|free) (\S+) (.+)$/s.exec(message)
  if (other) {
    const [, kind, owner = '', lock = ''] = other
    return { kind: kind === 'free' ? 'free' : 'revoked', owner, lock }
  }
  return null
}
