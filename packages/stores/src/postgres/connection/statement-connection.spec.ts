import type { Connection } from './connection.js'
import { StatementConnection } from './statement-connection.js'
import type { Row } from './statement.js'

/** A database whose replies the test gives. */
class Replies {
  readonly sent: string[] = []
  readonly #owed: ((rows: readonly Row[]) => void)[] = []
  readonly connection: Connection

  constructor(isPooled: boolean) {
    this.connection = {
      connect: () => Promise.resolve(),
      query: (text) => {
        this.sent.push(text)
        return new Promise((resolve) => this.#owed.push(resolve))
      },
      isPooled: () => Promise.resolve(isPooled),
      runScript: () => Promise.resolve(),
      listen: () => Promise.resolve(),
      takeKey: () => Promise.resolve('0'),
      onEnd: () => undefined,
      destroy: () => Promise.resolve(),
    }
  }

  /** Gives the reply that has been owed for longest. */
  async next(): Promise<void> {
    this.#owed.shift()?.([])
    await settled()
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function connected(isPooled: boolean): Promise<{ replies: Replies; statements: StatementConnection }> {
  const replies = new Replies(isPooled)
  const statements = new StatementConnection({
    database: { name: 'a database', open: () => replies.connection },
    connectTimeoutMs: 1_000,
    check: () => Promise.resolve(),
    onBreak: () => undefined,
    onReconnect: () => undefined,
    onError: () => undefined,
  })
  void statements.run('first', [], 60_000)
  await settled()
  return { replies, statements }
}

it('sends statements at once', async () => {
  const { replies, statements } = await connected(false)
  void statements.run('second', [], 60_000)
  void statements.run('third', [], 60_000)
  expect(replies.sent).toEqual(['first', 'second', 'third'])
  for (const _ of replies.sent) await replies.next()
  await statements.close()
})

it('behind a pooler sends one after another, urgent ones before others that wait', async () => {
  const { replies, statements } = await connected(true)
  void statements.run('second', [], 60_000)
  void statements.run('third', [], 60_000)
  void statements.run('renewal', [], 60_000, true)
  expect(replies.sent).toEqual(['first'])
  await replies.next()
  expect(replies.sent).toEqual(['first', 'renewal'])
  await replies.next()
  expect(replies.sent).toEqual(['first', 'renewal', 'second'])
  await replies.next()
  await replies.next()
  expect(replies.sent).toEqual(['first', 'renewal', 'second', 'third'])
  await statements.close()
})
