import { checkHistory } from '@holdfast/testkit'
import { historyOf, runCycles } from '../src/index.js'
import { describeTogether } from './support/describe-together.js'

describeTogether('fencing tokens', (context) => {
  it('grow from holder to holder, whichever side it is', async () => {
    const { peer, lock } = context()
    const tokens: (number | null)[] = []
    for (const side of ['Redisson', 'Holdfast', 'Holdfast', 'Redisson', 'Holdfast'] as const) {
      const task = peer(side).task('t')
      tokens.push((await task.lock(lock, { fenced: true })).token)
      await task.unlock(lock)
    }
    expect(tokens).toEqual([1, 2, 3, 4, 5])
  })

  it('grow in one order while both sides compete', async () => {
    const { peer, lock } = context()
    const order = { lock, tasks: 4, limit: 400, fenced: true }
    const run = await runCycles([peer('Redisson'), peer('Holdfast')], order)
    expect(checkHistory(historyOf(lock, run))).toEqual([])
    for (const { cycles } of run) expect(cycles.length).toBeGreaterThan(0)
  })
})
