import { installStatus, showInstallProgress } from '../lib/install-progress.mjs'

const printed = [
  'Lockfile is up to date, resolution step is skipped',
  'Packages: +903',
  'Progress: resolved 903, reused 0, downloaded 12, added 0',
  'Progress: resolved 903, reused 0, downloaded 512, added 410',
]

it('an installation shows how many packages of how many there are', () => {
  expect(installStatus([])).toBe('starting pnpm')
  expect(installStatus(printed.slice(0, 3))).toBe('0 of 903 packages')
  expect(installStatus(printed)).toBe('410 of 903 packages')
})

describe('the progress of an installation', () => {
  beforeEach(() => jest.useFakeTimers())
  afterEach(() => jest.useRealTimers())

  const show = (isTTY) => {
    const written = []
    return { written, progress: showInstallProgress({ isTTY, write: (text) => written.push(text) }) }
  }

  it('is a line every five seconds in a log', () => {
    const { written, progress } = show(false)
    jest.advanceTimersByTime(5_000)
    for (const line of printed) progress.add(line)
    jest.advanceTimersByTime(6_000)
    progress.end()
    jest.advanceTimersByTime(60_000)
    expect(written).toEqual(['  starting pnpm, 5 s\n', '  410 of 903 packages, 10 s\n'])
  })

  it('is one line on a terminal, rewritten every second and gone at the end', () => {
    const { written, progress } = show(true)
    jest.advanceTimersByTime(2_000)
    progress.end()
    expect(written).toEqual(['\r\x1b[2K  starting pnpm, 1 s', '\r\x1b[2K  starting pnpm, 2 s', '\r\x1b[2K'])
  })
})
