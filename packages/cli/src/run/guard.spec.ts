import { Guard } from './guard.js'
import { machineMs } from './stop-plan.js'

it('a guard without a command ends with its runner', () => {
  let ended = 0
  const guard = new Guard(
    () => undefined,
    () => (ended += 1),
  )
  guard.runnerGone()
  expect(ended).toBeGreaterThan(0)
})

it('a guard whose command has ended ends without a signal', () => {
  const reports: string[] = []
  let isOver = false
  const guard = new Guard(
    (what) => reports.push(what),
    () => (isOver = true),
  )
  guard.take({ type: 'until', plan: { termAt: machineMs() + 50, killAt: machineMs() + 60 }, graceMs: 10 })
  guard.take({ type: 'starting', owner: 'x:1' })
  guard.take({ type: 'done' })
  expect({ isOver, reports }).toEqual({ isOver: true, reports: [] })
})
