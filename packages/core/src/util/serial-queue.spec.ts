import { Turns } from './serial-queue.js'

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

it('tasks run one after another, in the order of asking', async () => {
  const turns = new Turns()
  const log: string[] = []
  const task = (name: string) =>
    turns.take(async () => {
      log.push(`${name} in`)
      await Promise.resolve()
      log.push(`${name} out`)
    })
  await Promise.all(['a', 'b', 'c'].map(task))
  expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

it('a task answers with its own value', async () => {
  const turns = new Turns()
  await expect(turns.take(() => Promise.resolve(42))).resolves.toBe(42)
})

it('a task that fails gives its own error and does not stop the next', async () => {
  const turns = new Turns()
  const failing = turns.take(() => Promise.reject(new Error('broken')))
  const next = turns.take(() => Promise.resolve('went on'))
  await expect(failing).rejects.toThrow('broken')
  await expect(next).resolves.toBe('went on')
})

it('a task that throws at once does not stop the next', async () => {
  const turns = new Turns()
  const failing = turns.take(() => {
    throw new Error('broken')
  })
  const next = turns.take(() => Promise.resolve('went on'))
  await expect(failing).rejects.toThrow('broken')
  await expect(next).resolves.toBe('went on')
})

it('a turn given up early lets nobody overtake those before it', async () => {
  const turns = new Turns()
  const first = turns.next()
  const second = turns.next()
  const third = turns.next()
  const onThird = jest.fn()
  void third.ready?.then(onThird)
  second.done()
  await settle()
  expect(onThird).not.toHaveBeenCalled()
  first.done()
  await settle()
  expect(onThird).toHaveBeenCalled()
})

it('nobody waits for a turn that nobody is before', () => {
  const turns = new Turns()
  turns.next().done()
  expect(turns.next().ready).toBeUndefined()
})
