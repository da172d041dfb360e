import { longestText } from '@holdfast/core/engine'
import type { Address, ListFilter, ObjectType, OperatorSession } from '@holdfast/core/engine'
import { anyOf, expect, listWith } from '../expect/expect.js'
import { uniqueName, until } from '../support/until.js'
import { BareSession } from '../support/bare-session.js'
import type { Suite } from '../support/suite.js'

const timeoutMs = 5_000
const times = { leaseMs: 60_000, entryTtlMs: 60_000, grantLeaseMs: 60_000, proof: 'p', wantsToken: true }

/** What those can see and send who look after locks. */
export function describeOperator(suite: Suite): void {
  const isPromised = suite.traits.operator === true
  const terms = { isPromised, needs: ['engine'] } as const
  const kinds = suite.traits.kinds ?? []
  const objects: readonly ObjectType[] = [
    'lock',
    ...(kinds.includes('shared') ? (['read-write-lock', 'semaphore'] as const) : []),
    ...(kinds.includes('latch') ? (['latch'] as const) : []),
  ]

  async function open(): Promise<BareSession> {
    const engine = suite.engine.engine?.()
    if (!engine) throw new Error(`${suite.engine.name} offers no engine`)
    const bare = await BareSession.open(engine, suite.lockName)
    suite.endAfterScenario(() => bare.session.close())
    return bare
  }

  function operatorOf({ session }: BareSession): OperatorSession {
    if (!session.operator) throw new Error(`${suite.engine.name} has no operator steps`)
    return session.operator
  }

  /** What a whole listing finds, each once, as `<object> <name>`. */
  async function listed(bare: BareSession, filter: Partial<ListFilter> = {}): Promise<string[]> {
    const wanted = { pattern: `${suite.lockName}*`, contended: false, ...filter }
    const found = new Set<string>()
    let cursor: string | null = null
    let scanned = 0
    do {
      const page = await operatorOf(bare).list(cursor, wanted)
      for (const { address, object } of page.found) {
        expect(bare.session.names.locate(address.name, object).id).toBe(address.id)
        if (address.name.startsWith(suite.lockName)) found.add(`${object} ${address.name}`)
      }
      expect(page.total).toBeGreaterThanOrEqual(0)
      expect(page.costMs).toBeGreaterThanOrEqual(0)
      scanned += page.scanned
      cursor = page.next
    } while (cursor !== null)
    expect(scanned).toBeGreaterThanOrEqual(found.size)
    return [...found].sort()
  }

  /** Has an owner hold the object: of a latch, sets its count. */
  async function hold(bare: BareSession, object: ObjectType, name: string): Promise<Address> {
    const { session } = bare
    const address = session.names.locate(name, object)
    if (object === 'latch') {
      const request = { named: 0, setter: 's', count: 2, keepMs: 60_000 }
      expect(await session.latches?.set(address, request, timeoutMs)).toMatchObject({ kind: 'done' })
    } else {
      expect(await request(bare, address, 1, object)).toBe('held')
    }
    return address
  }

  async function request(bare: BareSession, address: Address, n: number, object: ObjectType) {
    const size = object === 'lock' ? {} : { size: 1 }
    const owner = `${bare.clientId}:${n}`
    const reply = await bare.session.steps.acquire(address, { owner, count: 1, ...size, ...times }, timeoutMs)
    return reply.kind
  }

  /** Has another owner, or a client, wait for it. */
  async function queue(bare: BareSession, address: Address, object: ObjectType): Promise<void> {
    if (object !== 'latch') {
      expect(await request(bare, address, 2, object)).toBe('busy')
      return
    }
    const wait = { address, awaited: undefined, aliveMs: 60_000 }
    expect(await bare.session.latches?.wait([wait], timeoutMs)).toMatchObject([{ kind: 'closed' }])
  }

  const it = suite.scenarios(terms)

  suite.part('operator', () => {
    suite.scenario(
      'an engine has the steps of operators if its traits say so, and else none',
      async () => {
        const { session } = await open()
        expect(session.operator !== undefined).toBe(isPromised)
      },
      { needs: ['engine'] },
    )

    it('lists what is held and what is waited for, of every kind of object', async () => {
      const bare = await open()
      const expected: string[] = []
      for (const object of objects) {
        for (const name of [`${suite.lockName}:held`, `${suite.lockName}:{both}`]) {
          const address = await hold(bare, object, name)
          if (name.endsWith('{both}')) await queue(bare, address, object)
          expected.push(`${object} ${name}`)
        }
      }
      expect(await listed(bare)).toEqual(expected.sort())
      const both = expected.filter((each) => each.endsWith('{both}'))
      const contended = await listed(bare, { contended: true })
      expect(contended).toEqual(suite.hasQueue ? both.sort() : [])
    })

    suite.scenario(
      'lists a latch that clients wait for before its count is set',
      async () => {
        const bare = await open()
        const address = bare.session.names.locate(suite.lockName, 'latch')
        await queue(bare, address, 'latch')
        expect(await listed(bare, { contended: true })).toEqual([`latch ${suite.lockName}`])
      },
      { ...terms, isPromised: isPromised && kinds.includes('latch') },
    )

    it('lists nothing that is free', async () => {
      const bare = await open()
      for (const object of objects) {
        if (object === 'latch') continue
        const address = await hold(bare, object, suite.lockName)
        const release = { owner: `${bare.clientId}:1`, count: 0, tombstoneMs: 0 }
        await bare.session.steps.release(address, release, timeoutMs)
      }
      expect(await listed(bare)).toEqual([])
      expect(await listed(bare, { contended: true })).toEqual([])
    })

    it('lists every name that the pattern matches, whatever is in it', async () => {
      const bare = await open()
      const names = ['*', '?x', '[a]', '\\', 'é🔑', 'two\nlines', ' ', 'a:ends'].map(
        (end) => `${suite.lockName} ${end}`,
      )
      for (const name of names) await hold(bare, 'lock', name)
      const literally = (text: string): string => text.replace(/[*?\\]/g, '\\$&')
      for (const name of names) {
        expect(await listed(bare, { pattern: literally(name) })).toContain(`lock ${name}`)
        expect(await listed(bare, { pattern: name.replaceAll(/[^-\w]/gsu, '?') })).toContain(`lock ${name}`)
      }
      const all = names.map((name) => `lock ${name}`).sort()
      expect(await listed(bare, { pattern: `*${literally(suite.lockName.slice(3))}*` })).toEqual(all)
      expect(await listed(bare, { pattern: '*' })).toEqual(all)
    })

    it('lists the clients that are connected, with what they registered, and not one that has closed', async () => {
      const [one, other, closed] = [await open(), await open(), await open()]
      const ids = async (): Promise<string[]> =>
        (await operatorOf(one).clients()).map(({ clientId }) => clientId)
      expect(await ids()).toEqual(listWith([one.clientId, other.clientId, closed.clientId]))
      const clients = await operatorOf(one).clients()
      expect(clients.find(({ clientId }) => clientId === other.clientId)?.client).toEqual({
        host: 'localhost',
        pid: process.pid,
        label: 'bare',
        startedAt: anyOf(Date),
      })
      await closed.session.close()
      await until(async () => !(await ids()).includes(closed.clientId), { what: 'the client to be gone' })
      expect(await ids()).toEqual(listWith([one.clientId, other.clientId]))
    })

    it('tells clients a text: those that are named, and no others', async () => {
      const [from, named, unnamed] = [await open(), await open(), await open()]
      const tell = (ids: string[], text: string): Promise<readonly boolean[]> =>
        operatorOf(from).send(ids, text)
      expect(await tell([named.clientId, from.clientId], 'one')).toEqual([true, true])
      // What it gets is in the order in which it was sent.
      expect(await tell([unnamed.clientId], 'end')).toEqual([true])
      for (const each of [named, from, unnamed])
        await until(() => each.texts.length > 0, { what: 'the text to arrive' })
      expect([named.texts, from.texts, unnamed.texts]).toEqual([['one'], ['one'], ['end']])
      expect(await tell([], 'to nobody')).toEqual([])
    })

    it('a text arrives as it was sent, the longest one included', async () => {
      const [from, to] = [await open(), await open()]
      const texts = [
        '',
        ' two  words ',
        'lines\r\nand\ttabs\n',
        `quotes ' " \\ $1 %s {}`,
        'told granted c:1 1 1 1 x',
        'é 🔑 \u2028',
        'x'.repeat(longestText),
        '🔑'.repeat(Math.floor(longestText / 4)),
      ]
      for (const text of texts) {
        expect(await operatorOf(from).send([to.clientId], text)).toEqual([true])
      }
      await until(() => to.texts.length === texts.length, {
        what: () => `${texts.length} texts, there are ${to.texts.length}`,
      })
      expect(to.texts).toEqual(texts)
    })

    suite.scenario(
      'tells a client before a later step of the same caller does, if it names the object',
      async () => {
        const [from, to] = [await open(), await open()]
        const order: string[] = to.texts
        const address = to.session.names.locate(suite.lockName, 'lock')
        const owner = `${to.clientId}:1`
        for (let turn = 0; turn < 5; turn += 1) {
          expect((await to.acquire(owner)).kind).toBe('held')
          to.onRevoked = (revoked) => order.push(`revoked ${revoked}`)
          await operatorOf(from).send([to.clientId], 'by me', address)
          expect((await from.session.steps.force(address, owner)).kind).toBe('released')
          await until(() => order.length === 2, { what: 'the text and the eviction' })
          expect(order.splice(0)).toEqual(['by me', `revoked ${owner}`])
        }
      },
      { ...terms, isPromised: isPromised && suite.traits.force === 'notified' },
    )

    it('a client that is gone gets nothing, and keeps nothing from the others', async () => {
      const [from, gone] = [await open(), await open()]
      await gone.session.close()
      const ids = [gone.clientId, from.clientId, uniqueName('nobody')]
      const reached = await operatorOf(from).send(ids, 'anyone?')
      // Not every store knows who is gone.
      expect(reached).toEqual([anyOf('boolean'), true, anyOf('boolean')])
      await until(() => from.texts.length === 1, { what: 'the text to arrive' })
      expect(gone.texts).toEqual([])
    })
  })
}
