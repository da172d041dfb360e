import { Standing } from './waiter-table.js'

const said = (at: number, position: number, entered = 0) => ({
  heardAt: { monotonicMs: at, wallMs: at },
  holder: 'a:1',
  position,
  entered,
})

const found = (owner: string, ...waiters: string[]) => ({
  kind: 'lock' as const,
  owner,
  count: 1,
  ttlMs: 1_000,
  token: 1,
  waiterCount: waiters.length,
  waiters: waiters.map((waiter) => ({ owner: waiter, aliveMs: 1_000 })),
})

it('who enters becomes the holder for those behind it, which move up', () => {
  const standing = new Standing()
  standing.enter('a:2', true, true, 50)
  expect(standing.obstacleOf('a:3', said(10, 2))).toEqual({ holder: 'a:2', position: 1, at: 50 })
  expect(standing.obstacleOf('a:4', said(60, 2, standing.entered))).toEqual({
    holder: 'a:1',
    position: 2,
    at: 60,
  })
})

it('a reading corrects holder and position, unless something newer is known', () => {
  const standing = new Standing()
  standing.enter('a:2', true, true, 50)
  standing.found(found('b:1', 'b:2', 'b:3', 'a:3'), 40)
  expect(standing.obstacleOf('a:3', said(10, 5))).toMatchObject({ holder: 'a:2', position: 4 })
  standing.found(found('b:1', 'b:2', 'b:3', 'a:3'), 70)
  expect(standing.obstacleOf('a:3', said(10, 5))).toEqual({ holder: 'b:1', position: 3, at: 70 })
  expect(standing.obstacleOf('a:3', said(80, 1, 1))).toEqual({ holder: 'a:1', position: 1, at: 80 })
  standing.enter('a:4', false, true, 90)
  expect(standing.obstacleOf('a:3', said(80, 2, 1))).toEqual({ holder: 'a:4', position: 2, at: 90 })
})

it('a waiter whose own grant was read is not in its own way', () => {
  const standing = new Standing()
  standing.found(found('a:3'), 70)
  expect(standing.obstacleOf('a:3', said(10, 1))).toEqual({ holder: 'a:1', position: 1, at: 10 })
})

it('many waiters that end together share one reading', () => {
  const standing = new Standing()
  expect([10, 11, 109, 110].map((now) => standing.beginReading(now, 100))).toEqual([true, false, false, true])
})
