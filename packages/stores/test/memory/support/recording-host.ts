import type {
  Address,
  AcquireRequest,
  EngineHost,
  EngineSession,
  GrantNotice,
  LockEngine,
} from '@holdfast/core/engine'

/** A client that writes down what a session reports to it. */
export class RecordingHost implements EngineHost {
  readonly client = { host: 'here', pid: 1, label: '', startedAt: new Date(0) }
  readonly watchdogTimeoutMs = 30_000
  readonly renewEveryMs = 10_000
  readonly commandTimeoutMs = 5_000
  readonly log: string[] = []

  constructor(readonly clientId: string) {}

  now(): number {
    return performance.now()
  }

  granted(id: string, owner: string, _grant: GrantNotice): void {
    this.log.push(`granted ${id} ${owner}`)
  }
  revoked(owner: string): void {
    this.log.push(`revoked ${owner}`)
  }
  wake(id: string): void {
    this.log.push(`wake ${id}`)
  }
  opened(id: string, generation: number): void {
    this.log.push(`opened ${id} ${generation}`)
  }
  onMessage(text: string): void {
    this.log.push(`told ${text}`)
  }
  missed(id?: string): void {
    this.log.push(id === undefined ? 'missed' : `missed ${id}`)
  }
  unsubscribed(): void {
    this.log.push('unsubscribed')
  }
  broken(): void {
    this.log.push('broken')
  }
  reconnected(): void {
    this.log.push('reconnected')
  }
  warn(code: string): void {
    this.log.push(code)
  }
  error(error: unknown): void {
    this.log.push(String(error))
  }
}

export interface Client {
  readonly host: RecordingHost
  readonly session: EngineSession
  /** Of a lock named `x`. */
  readonly address: Address
}

/** Opens a session and has it subscribe. */
export async function openClient(engine: LockEngine, clientId: string): Promise<Client> {
  const host = new RecordingHost(clientId)
  const session = engine.open(host)
  const address = session.names.locate('x', 'lock')
  await session.prepare(address)
  return { host, session, address }
}

/** A first request for 30 s that queues for as long. */
export const requestOf = (owner: string, more: Partial<AcquireRequest> = {}): AcquireRequest => ({
  owner,
  count: 1,
  leaseMs: 30_000,
  entryTtlMs: 30_000,
  grantLeaseMs: 20_000,
  proof: 'p',
  wantsToken: true,
  ...more,
})
