import { formatDuration, parseDuration } from './duration.js'

it.each([
  [0, '0 ms'],
  [340.4, '340 ms'],
  [2_540, '2.5 s'],
  [9_949, '9.9 s'],
  [9_990, '10 s'],
  [59_600, '1 min'],
  [250_000, '4 min 10 s'],
  [11_100_000, '3 h 5 min'],
  [180_000_000, '2 d 2 h'],
])('%d ms is shown as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

it.each([
  ['0', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5m', 90_000],
  ['2 h', 7_200_000],
])('%s is read as %d ms', (text, ms) => expect(parseDuration(text)).toBe(ms))

it.each(['30', '', 's', '-1s', '1e3s', '3 weeks', 'Infinity'])('%p is not a duration', (text) =>
  expect(parseDuration(text)).toBeNull(),
)
