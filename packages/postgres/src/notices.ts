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
  /** What another client has to say. */
  | { readonly kind: 'told'; readonly text: string }

/**
 * Reads what the functions send; `undefined` for anything else. Anyone may notify, and a number that JavaScript cannot count
 * on from would be the last token of every lock.
 */
export function readNotice(payload: string): Notice | undefined {
  const granted = /^granted (\S+) (\d+) (\d+) (\d+) (.+)$/s.exec(payload)
  if (granted) {
    const [, owner = '', token, serverUs, leaseMs, id = ''] = granted
    return grant(token, serverUs, [{ owner, leaseMs: Number(leaseMs) }], id)
  }
  const entered = /^entered (\d+) (\d+) (\S+:\d+) (.+)$/s.exec(payload)
  if (entered) {
    const [, token, serverUs, list = '', id = ''] = entered
    return grant(token, serverUs, list.split(',').map(readOwner), id)
  }
  const latch = /^(open|gone) (\d+) (.+)$/s.exec(payload)
  if (latch) {
    const [, kind, generation, id = ''] = latch
    return { kind: kind === 'open' ? 'open' : 'gone', generation: Number(generation), id }
  }
  const [, owner] = /^revoked (\S+)$/.exec(payload) ?? []
  if (owner !== undefined) return { kind: 'revoked', owner }
  const [, text] = /^told (.*)$/s.exec(payload) ?? []
  return text === undefined ? undefined : { kind: 'told', text }
}

type GrantedNotice = Extract<Notice, { kind: 'granted' }>

function grant(
  tokenText: string | undefined,
  timeText: string | undefined,
  owners: GrantedNotice['owners'],
  id: string,
): GrantedNotice | undefined {
  const [token, serverUs] = [Number(tokenText), Number(timeText)]
  const isExact = Number.isSafeInteger(token) && Number.isSafeInteger(serverUs)
  return isExact ? { kind: 'granted', owners, token, serverUs, id } : undefined
}

/** `<owner>:<lease, ms>` */
function readOwner(text: string): { readonly owner: string; readonly leaseMs: number } {
  const end = text.lastIndexOf(':')
  return { owner: text.slice(0, end), leaseMs: Number(text.slice(end + 1)) }
}
