import type { OperatorSession } from '@holdfast/core/engine'
import { documentEngine } from '@holdfast/stores/documents'
import { until } from '@holdfast/testkit'
import { DocumentTable } from '@holdfast/sim/stores'
import { hostOf, openClient, type OpenClient } from './support/open-client.js'
import { requestOf } from './support/request-of.js'

const operatorOf = ({ session }: Pick<OpenClient, 'session'>): OperatorSession => {
  if (!session.operator) throw new Error('the table can list its documents')
  return session.operator
}

/** A table that counts how often somebody reads the mail of this client. */
class MailTable extends DocumentTable {
  looks = 0
  override read(key: string) {
    if (key === 'mail:a') this.looks += 1
    return super.read(key)
  }
}

it('a letter whose deletion got no reply is dropped, and those that come later arrive', async () => {
  const table = new DocumentTable()
  const [sender, recipient] = [await openClient(table, 'b'), await openClient(table, 'a')]
  let deletions = 0
  table.losesReplyTo = (key, text) => {
    if (key !== 'mail:a' || text !== '') return false
    deletions += 1
    return deletions === 1
  }
  expect(await operatorOf(sender).send(['a'], 'first')).toEqual([true])
  await until(() => deletions === 1 && !table.rows.has('mail:a'))
  expect(await operatorOf(sender).send(['a'], 'second')).toEqual([true])
  await until(() => recipient.log.length > 0)
  expect(recipient.log).toEqual(['message second'])
  await Promise.all([sender.session.close(), recipient.session.close()])
})

it('letters that two clients write at once all arrive, and in order', async () => {
  const table = new DocumentTable()
  const senders = [await openClient(table, 'b'), await openClient(table, 'c')]
  const recipient = await openClient(table, 'a')
  await Promise.all(
    senders.flatMap((sender, s) =>
      [1, 2, 3].map((n) => operatorOf(sender).send(['a'], `${String(s)}:${String(n)}`)),
    ),
  )
  await until(() => recipient.log.length === 6)
  for (const s of ['0', '1'])
    expect(recipient.log.filter((text) => text.startsWith(`message ${s}:`))).toEqual(
      [1, 2, 3].map((n) => `message ${s}:${String(n)}`),
    )
  await Promise.all([...senders, recipient].map(({ session }) => session.close()))
})

it('a client that does not look gets 64 letters, and who sends more learns that they do not arrive', async () => {
  const table = new DocumentTable()
  const sender = await openClient(table, 'b')
  table.put('client:a', JSON.stringify({ ...hostOf('a').client, untilUs: 1e18 }))
  const sent = await Promise.all(
    Array.from({ length: 70 }, async () => (await operatorOf(sender).send(['a'], 'text'))[0]),
  )
  expect(sent.filter((isSent) => isSent)).toHaveLength(64)
  await sender.session.close()
})

it('the next renewal of a holder that is evicted finds out by whom, also between two looks', async () => {
  const table = new DocumentTable()
  const [operator, victim] = [await openClient(table, 'b'), await openClient(table, 'a')]
  const lock = victim.locate('x')
  await victim.session.steps.acquire(lock, requestOf('a:1'), 1_000)
  await operatorOf(operator).send(['a'], 'ada evicts a:1', lock)
  await operator.session.steps.force(operator.locate('x'), 'a:1')
  const replies = await victim.session.steps.renew([{ address: lock, owner: 'a:1', leaseMs: 1_000 }], 1_000)
  expect(replies).toEqual(['not-held'])
  expect(victim.log).toEqual(['message ada evicts a:1', 'revoked a:1'])
  await Promise.all([operator.session.close(), victim.session.close()])
})

it('a store that says it lists its documents, and whose sessions do not, is refused', () => {
  const table = new DocumentTable()
  const open = table.open.bind(table)
  table.open = (host) => Object.assign(open(host), { list: undefined })
  expect(() => documentEngine(table).open(hostOf('a'))).toThrow('so its sessions need list()')
})

it('a client looks into its mail as long as it is registered, and when it registers again', async () => {
  const table = new MailTable()
  const session = documentEngine(table).open({ ...hostOf('a'), watchdogTimeoutMs: 700 })
  await session.prepare(session.names.locate('any', 'lock'))
  const pause = async (ms: number): Promise<number> => {
    const endMs = performance.now() + ms
    await until(() => performance.now() > endMs)
    return table.looks
  }
  let whileRegistered = 0
  while (table.looks > whileRegistered || whileRegistered === 0) {
    whileRegistered = table.looks
    await pause(800)
  }
  expect(whileRegistered).toBeGreaterThan(1)
  await session.registry.register()
  await until(() => table.looks > whileRegistered)
  await session.close()
  const atClose = table.looks
  expect(await pause(600)).toBe(atClose)
})
