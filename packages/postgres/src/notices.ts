/** A message to a client. */
export type Notice =
  | {
      readonly kind: 'granted'
      readonly owner: string
      readonly token: number
      readonly serverUs: number
      readonly leaseMs: number
      /** Of the lock's address. */
      readonly id: string
    }
  | { readonly kind: 'revoked'; readonly owner: string }

/** Reads what the functions send; `undefined` for anything else. */
export function readNotice(payload: string): Notice | undefined {
  const granted = /^granted (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(payload)
  if (granted) {
    const [, owner = '', token, serverUs, leaseMs, id = ''] = granted
    return {
      kind: 'granted',
      owner,
      token: Number(token),
      serverUs: Number(serverUs),
      leaseMs: Number(leaseMs),
      id,
    }
  }
  const [, owner] = /^revoked (\S+)$/.exec(payload) ?? []
  return owner === undefined ? undefined : { kind: 'revoked', owner }
}
