import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { onPath, skippedIf } from '@holdfast/testkit'
import { holdfast } from '../src/adapters/holdfast.js'
import { instructionsIn } from '../src/instructions/callgrind.js'
import { commandsIn } from '../src/instructions/command-stats.js'
import { contended } from '../src/instructions/drives.js'
import { record } from '../src/instructions/record.js'
import { commandsPerCycle, repeated, type Sent } from '../src/instructions/recording.js'
import { replay } from '../src/instructions/replay.js'

const run = promisify(execFile)
const bench = join(__dirname, '../dist/bench.js')

it('of a callgrind file, only the total of instructions is read', () => {
  expect(instructionsIn('events: Bc Ir Dr\n0 1 2 3\ntotals: 10 20 30\n')).toBe(20)
  expect(() => instructionsIn('events: Ir\n')).toThrow('has no total of instructions')
})

it('commands are counted inside scripts and outside, without those that only run or measure others', () => {
  const info = [
    '# Commandstats',
    'cmdstat_set:calls=2,usec=10,usec_per_call=5.00',
    'cmdstat_pubsub|numsub:calls=3,usec=10,usec_per_call=3.33',
    'cmdstat_evalsha:calls=100,usec=10,usec_per_call=0.10',
    'cmdstat_echo:calls=1,usec=1,usec_per_call=1.00',
    'cmdstat_config|resetstat:calls=1,usec=1,usec_per_call=1.00',
  ]
  expect(commandsIn(info.join('\r\n'))).toBe(5)
})

it('a recorded call for many holds is repeated, and its work is shared by them', () => {
  const sent = (name: string, commands: number): Sent => ({ words: [name], commands })
  const recorded = {
    before: [sent('eval', 1)],
    during: [sent('renew', 0), sent('register', 3), sent('renew', 6)],
    cycles: 2,
  }
  const recording = repeated(recorded, ({ words }) => words[0] === 'renew', 2, 10)

  expect(recording.before).toHaveLength(4)
  expect(recording.during).toEqual(Array.from({ length: 10 }, () => sent('renew', 6)))
  expect(commandsPerCycle(recording)).toBe(3)
})

it('every contended cycle is a release that hands the lock over, and a request that queues', async () => {
  const { during } = await record(contended(holdfast, 1, 10))
  const [handOver, request] = during
  expect(handOver?.words[1]).not.toBe(request?.words[1])
  // A release that found no waiter, or a request that got a free lock, would run fewer commands.
  const shapeOf = ({ words, commands }: Sent) => ({ script: words[1], commands })
  const expected = Array.from({ length: 10 }, () => [handOver, request]).flat()
  expect(during.map(shapeOf)).toEqual(expected.map((sent) => sent && shapeOf(sent)))
})

// Only valgrind counts instructions, and most machines do not have it.
const whySkipped = onPath('valgrind').length === 0 && 'there is no valgrind on the PATH'

skippedIf(whySkipped, it)('counts of the same cycles differ by a few percent at most', async () => {
  const recording = await record(contended(holdfast, 3, 100))
  const [first, second] = [await replay(recording), await replay(recording)]
  expect(first['commandsPerCycle']).toBe(commandsPerCycle(recording))
  const ratio = Number(first['instructionsPerCycle']) / Number(second['instructionsPerCycle'])
  expect(Math.abs(ratio - 1)).toBeLessThan(0.05)
})

it('without valgrind the scenario says so, and counts nothing', async () => {
  const { stdout } = await run(process.execPath, [bench, '--scenario', 'instructions'], { env: { PATH: '' } })
  expect(stdout).toContain('left out: there is no valgrind on the PATH')
  expect(stdout).not.toContain('| Holdfast')
})
