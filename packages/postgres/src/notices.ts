/** A message to a client. */
export type Notice =
  /** Owners of the client entered an object, in one step and with one token. */
  | {
      readonly kind: 'granted'
      readonly owners: readonly { readonly owner: string; readonly leaseMs: number }[]
      readonly token: number
      readonly serverUs: number
      /** Of the object's address. */
      readonly id: string
    }
  | { readonly kind: 'revoked'; readonly owner: string }
  /** A latch opened, or is gone. */
  | { readonly kind: 'open' | 'gone'; readonly generation: number; readonly id: string }

/** Reads what the functions send; `undefined` for anything else. */
export function readNotice(payload: string): Notice | undefined {
  const granted = /^granted (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(payload)
  if (granted) {
    const [, owner = '', token, serverUs, leaseMs, id = ''] = granted
    const owners = [{ owner, leaseMs: Number(leaseMs) }]
    return { kind: 'granted', owners, token: Number(token), serverUs: Number(serverUs), id }
  }
  const entered = /^entered (\d+) (\d+) (\S+:\d+) (.+)$/s.exec(payload)
  if (entered) {
    const [, token, serverUs, list = '', id = ''] = entered
    const owners = list.split(',').map(readOwner)
    return { kind: 'granted', owners, token: Number(token), serverUs: Number(serverUs), id }
  }
  const latch = /^(open|gone) (\d+) (.+)$/s.exec(payload)
  if (latch) {
    const [, kind, generation, id = ''] = latch
    return { kind: kind === 'open' ? 'open' : 'gone', generation: Number(generation), id }
  }
  const [, owner] = /^revoked (\S+)$/.exec(payload) ?? []
  return owner === undefined ? undefined : { kind: 'revoked', owner }
}

/** `<owner>:<lease, ms>` */
function readOwner(text: string): { readonly owner: string; readonly leaseMs: number } {
  const end = text.lastIndexOf(':')
  return { owner: text.slice(0, end), leaseMs: Number(text.slice(end + 1)) }
}
