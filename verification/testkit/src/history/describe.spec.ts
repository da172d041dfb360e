import { checkHistory } from './check-history.js'
import { describeViolation } from './describe.js'
import { acquired, requested, ended, killed } from './short-events.js'

it('a violation is described by its message and a timeline that points at its events', () => {
  const history = [
    requested(5, 'z1', { lock: 'other' }),
    requested(10, 'a1'),
    acquired(11, 'a1', 90),
    killed(12, 'C'),
    acquired(50, 'b1', 90),
    ended('left', 60, 'b1'),
    ended('left', 70, 'a1'),
  ]
  const violation = checkHistory(history).find(({ promise }) => promise === 'exclusion')
  expect(violation && describeViolation(violation, history).split('\n')).toEqual([
    'exclusion broken: A (owner a1) and B (owner b1) held job at once for 10.0 ms',
    '',
    '   5.0          A requests the lock, waits without limit',
    '>  6.0     A    A acquires as a1, until 85.0',
    '> 45.0  !! A B  B acquires as b1, until 85.0',
    '> 55.0     A    B leaves',
    '  65.0          A leaves',
  ])
})
