import { UnavailableError } from '@holdfast/core/engine'
import { Session } from './session.js'
import { encode, Message } from './wire/protobuf.js'

/** A server that grants leases of 10 s and keeps them alive, in terms that a test sets. */
class FakeServer {
  readonly calls: string[] = []
  readonly ended: string[] = []
  nowMs = 0
  term = 1
  /** What happens between a renewal and the read after it. */
  between: () => void = () => undefined
  /** How long a grant takes. */
  grantMs = 0
  /** What was used when a session went on after another. */
  readonly resumed: Promise<bigint>[] = []
  readonly session: Session = new Session(10_000, {
    host: { now: () => this.nowMs, commandTimeoutMs: 1_000 },
    call: (call) => Promise.resolve(this.#reply(call)),
    ended: (name) => this.ended.push(name),
    resumed: () => this.resumed.push(this.session.lease(1_000)),
    lengthened: () => undefined,
  })

  read = () => {
    this.between()
    return Promise.resolve({ revision: 1, term: this.term })
  }

  prove = () => this.session.prove(this.read, () => 1_000)

  #reply(call: string): Message {
    this.calls.push(call)
    if (call === 'Lease/LeaseGrant') this.nowMs += this.grantMs
    const id = this.calls.filter((each) => each === 'Lease/LeaseGrant').length
    return new Message(encode([1, encode([4, this.term])], [2, id], [3, 10]))
  }
}

describe('the session of a client', () => {
  it('is proven by a renewal and a read in one term, as of when the renewal was sent', async () => {
    const server = new FakeServer()
    await server.session.lease(1_000)
    server.nowMs = 5_000
    server.between = () => (server.nowMs += 100)
    expect(await server.prove()).toMatchObject({ term: 1 })
    expect(server.session.provenAt).toBe(5_000)
  })

  it('is not proven by a leader that another has replaced, but by a second attempt', async () => {
    const server = new FakeServer()
    await server.session.lease(1_000)
    server.nowMs = 5_000
    server.between = () => {
      server.term = 2
      server.nowMs = 6_000
    }
    await server.prove()
    expect(server.session.provenAt).toBe(6_000)
    server.between = () => (server.term += 1)
    await expect(server.prove()).rejects.toThrow(UnavailableError)
    expect(server.session.provenAt).toBe(6_000)
    expect(server.ended).toEqual([])
  })

  it('ends when the proof comes after its holds are no longer claimed', async () => {
    const server = new FakeServer()
    await server.session.lease(1_000)
    server.nowMs = 9_000
    // 1 % of 10 s and the margin of 100 ms before the end.
    server.between = () => (server.nowMs = 9_800)
    expect(await server.prove()).toBeNull()
    expect(server.ended).toEqual(['1'])
    expect(server.session.name).toBe('2')
    expect(server.calls).toContain('Lease/LeaseRevoke')
  })

  it('does not begin with a grant that comes after its holds would be claimed, and never has a lease of 0', async () => {
    const server = new FakeServer()
    await server.session.lease(1_000)
    server.nowMs = 20_000
    server.grantMs = 9_900
    const late = await Promise.allSettled([server.session.lease(1_000), server.session.lease(1_000)])
    expect(late.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect([server.session.name, server.resumed]).toEqual(['', []])
    expect(server.calls.filter((call) => call === 'Lease/LeaseRevoke')).toHaveLength(2)
    server.grantMs = 0
    const lease = await server.session.lease(1_000)
    expect(lease).toBeGreaterThan(1n)
    expect(await Promise.all(server.resumed)).toEqual([lease])
  })

  it('begins once, however many need it, and never again after it was closed', async () => {
    const server = new FakeServer()
    const leases = await Promise.all([server.session.lease(1_000), server.session.lease(1_000)])
    expect(leases).toEqual([1n, 1n])
    await server.session.close(1_000)
    expect(server.calls).toEqual(['Lease/LeaseGrant', 'Lease/LeaseRevoke'])
    await expect(server.session.lease(1_000)).rejects.toThrow('the Holdfast client is closed')
  })
})
