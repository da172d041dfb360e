/** Who entered. */
interface GrantedOwner {
  readonly owner: string
  readonly leaseMs: number
  /** What the queue entry had, see `AcquireRequest.proof`. */
  readonly proof: string
}

/** A message to a client. */
export type Notice =
  /** Owners of the client entered an object, in one step and with one token. */
  | {
      readonly kind: 'granted'
      readonly owners: readonly GrantedOwner[]
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

/** How far a token may be ahead of the server's clock, microseconds, as the functions have it. */
const tokenLeadUs = 86_400_000_000

/**
 * Reads what the functions send; `undefined` for anything else. Anyone may notify: no number is taken that the functions would
 * not have sent, and a grant is nothing without its proof.
 */
export function readNotice(payload: string): Notice | undefined {
  const granted = /^granted (\S+) (\d+) (\d+) (\d+) ([\w-]+) (.+)$/s.exec(payload)
  if (granted) {
    const [, owner = '', token, serverUs, leaseMs, proof = '', id = ''] = granted
    return grant(token, serverUs, [{ owner, leaseMs: Number(leaseMs), proof }], id)
  }
  const entered = /^entered (\d+) (\d+) (\S+:\d+:[\w-]+) (.+)$/s.exec(payload)
  if (entered) {
    const [, token, serverUs, list = '', id = ''] = entered
    return grant(token, serverUs, list.split(',').flatMap(readOwner), id)
  }
  const latch = /^(open|gone) (\d+) (.+)$/s.exec(payload)
  if (latch) {
    const [, kind, number, id = ''] = latch
    const generation = Number(number)
    if (!Number.isSafeInteger(generation)) return undefined
    return { kind: kind === 'open' ? 'open' : 'gone', generation, id }
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
  const isExact =
    Number.isSafeInteger(serverUs) && owners.every(({ leaseMs }) => Number.isSafeInteger(leaseMs))
  if (!isExact || token > Math.min(serverUs + tokenLeadUs, Number.MAX_SAFE_INTEGER)) return undefined
  return { kind: 'granted', owners, token, serverUs, id }
}

/** `<owner>:<lease, ms>:<proof>`. */
function readOwner(text: string): readonly GrantedOwner[] {
  const [, owner, leaseMs, proof] = /^(\S+):(\d+):([\w-]+)$/.exec(text) ?? []
  return owner === undefined || proof === undefined ? [] : [{ owner, leaseMs: Number(leaseMs), proof }]
}
