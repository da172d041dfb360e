import { SerialQueue } from './lists.js'

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

it('tasks run one after another, in the order of the calls', async () => {
  const queue = new SerialQueue()
  const log: string[] = []
  const task = (name: string) =>
    queue.run(async () => {
      log.push(`${name} in`)
      await Promise.resolve()
      log.push(`${name} out`)
    })
  await Promise.all(['a', 'b', 'c'].map(task))
  expect(log).toEqual(['a in', 'a out', 'b in', 'b out', 'c in', 'c out'])
})

it('a task returns its own value', async () => {
  const queue = new SerialQueue()
  await expect(queue.run(() => Promise.resolve(42))).resolves.toBe(42)
})

it('a task that fails gives its own error and does not stop the next', async () => {
  const queue = new SerialQueue()
  const failing = queue.run(() => Promise.reject(new Error('broken')))
  const next = queue.run(() => Promise.resolve('went on'))
  await expect(failing).rejects.toThrow('broken')
  await expect(next).resolves.toBe('went on')
})

it('a task that throws at once does not stop the next', async () => {
  const queue = new SerialQueue()
  const failing = queue.run(() => {
    throw new Error('broken')
  })
  const next = queue.run(() => Promise.resolve('went on'))
  await expect(failing).rejects.toThrow('broken')
  await expect(next).resolves.toBe('went on')
})

it('a slot that is given up early lets no later one overtake', async () => {
  const queue = new SerialQueue()
  const first = queue.next()
  const second = queue.next()
  const third = queue.next()
  const onThird = jest.fn()
  void third.ready?.then(onThird)
  second.done()
  await settle()
  expect(onThird).not.toHaveBeenCalled()
  first.done()
  await settle()
  expect(onThird).toHaveBeenCalled()
})

it('the first in the queue does not wait', () => {
  const queue = new SerialQueue()
  queue.next().done()
  expect(queue.next().ready).toBeUndefined()
})
