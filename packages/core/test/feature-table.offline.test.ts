import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(__dirname, '../../..')

/** A file of tests, and part of the title of one of them. */
type Proof = readonly [file: string, title: string]

/** For each row of the table in README.md, the tests which show that Holdfast has it. */
const proofs: Readonly<Record<string, readonly Proof[]>> = {
  'Reentrant lock': [
    [
      'verification/conformance/src/scenarios/always/reentry.ts',
      'calls nested through several functions count 3, 2, 1, free',
    ],
    ['verification/conformance/src/scenarios/always/reentry.ts', 'a task that outlives the hold it began in'],
  ],
  'Automatic renewal': [
    [
      'verification/conformance/src/scenarios/always/leases.ts',
      'the watchdog renews a hold for as long as the job runs',
    ],
    ['packages/core/test/topologies.test.ts', 'the watchdog keeps a hold past its lease'],
  ],
  'FIFO hand-off without polling': [
    [
      'verification/conformance/src/scenarios/fifo.ts',
      'waiters of two clients get in in the order in which they came',
    ],
    ['verification/conformance/src/scenarios/hand-off.ts', 'a waiter sends no more than it has to'],
  ],
  'Fencing tokens': [
    ['packages/core/test/topologies.test.ts', 'gives growing fencing tokens to both clients'],
  ],
  'Read/write lock': [
    ['examples/test/examples.test.ts', 'readers enter together, and never see half an update'],
    ['verification/conformance/src/scenarios/read-write-lock.ts', 'a waiting writer stops later readers'],
  ],
  Semaphore: [
    ['examples/test/examples.test.ts', 'never make more calls at a time than the semaphore has permits'],
    [
      'verification/conformance/src/scenarios/semaphore.ts',
      'process dies: its permits return when its lease ends',
    ],
  ],
  'Count-down latch': [
    [
      'verification/conformance/src/scenarios/latch.ts',
      'waiters of all clients pass once all parties have counted down',
    ],
    ['verification/conformance/src/scenarios/latch.ts', 'count-down runs twice'],
  ],
  'Multi lock': [
    ['packages/core/test/multi-lock.test.ts', 'opposite orders: many calls never wait for each other'],
    ['packages/core/test/multi-lock.test.ts', 'member lost held: all are lost'],
  ],
  'Quorum lock over independent masters': [
    ['packages/core/test/quorum-masters.test.ts', 'killed and frozen: processes exclude each other'],
    ['packages/core/test/quorum-masters.test.ts', 'with three of five gone the holder learns it'],
  ],
  'Redisson interop': [
    [
      'verification/redisson/test/hand-over.test.ts',
      'a hold that was entered twice ends when it was left twice',
    ],
    ['verification/redisson/test/fencing.test.ts', 'grow from holder to holder, whichever side it is'],
    [
      'verification/redisson/test/read-write-lock.test.ts',
      'a %s keeps out a %s, who gets in at once afterwards',
    ],
    ['verification/redisson/test/semaphore.test.ts', 'of a process of ours that dies return'],
    ['verification/redisson/test/latch.test.ts', 'opens for waiters on the other side with the last count'],
  ],
  'Metrics, traces, alerts': [
    ['packages/metrics/test/otel.offline.test.ts', 'have the names, units and buckets of their definitions'],
    ['packages/metrics/test/observability.offline.test.ts', 'the alerts fire when they should'],
  ],
  'Diagnostics channels': [
    [
      'packages/memory/test/channels.offline.test.ts',
      'a cycle publishes its acquisition, its hold and its release',
    ],
    ['packages/memory/test/channels.offline.test.ts', 'say how much of the lease was left'],
  ],
  'Live page of locks, queues and holders': [
    ['packages/dashboard/test/browser.test.ts', 'figures, queues and losses change while they happen'],
    ['packages/dashboard/test/mounts.test.ts', 'a holder is evicted, in the name of the user'],
  ],
  'Several engines': [
    [
      'packages/memory/test/holdfast.offline.test.ts',
      'let one owner in at a time, in the order of their requests',
    ],
    ['examples/test/examples.test.ts', 'an engine of one’s own carries locks from one client to the next'],
  ],
  'Command line': [
    ['packages/cli/test/run-in-time.test.ts', 'a command is dead before the rival is in'],
    ['packages/cli/test/operate.test.ts', 'lists what is held, by whom and for how long'],
    ['packages/cli/test/operate.test.ts', 'evicts the owner that was shown'],
  ],
}

const [, section = ''] = /^## Features\n(.*?)^## /ms.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? []
const [head = [], , ...rows] = section
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )

/** `[Semaphore](docs/objects/semaphore.md)` → `Semaphore` */
const withoutLinks = (cell: string): string => cell.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')

it('the feature table of README.md has exactly the rows that are tested', () =>
  expect(rows.map(([feature = '']) => withoutLinks(feature))).toEqual(Object.keys(proofs)))

it('the feature table of README.md says something of each library in each row', () => {
  expect(head).toHaveLength(5)
  for (const row of rows) {
    expect(row).toHaveLength(head.length)
    expect(row).not.toContain('')
  }
})

describe.each(Object.entries(proofs))('%s', (_, tests) => {
  it.each(tests)('is tested in %s: %s', (file, title) => {
    const path = join(root, file)
    expect(existsSync(path) ? readFileSync(path, 'utf8') : '').toContain(title)
  })
})
