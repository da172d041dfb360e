import { execFile } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { scratchFolder, type ScratchFolder } from '@holdfast/testkit'

const run = promisify(execFile)
const program = join(__dirname, '../dist/bench.js')
const bench = (...args: readonly string[]) => run(process.execPath, [program, ...args])

let scratch: ScratchFolder
let folder: string

beforeEach(async () => {
  scratch = await scratchFolder()
  folder = scratch.path
})
afterEach(() => scratch.remove())

it('a trial prints ratios to the floor and saves its figures', async () => {
  const options = ['--trial', '--rounds', '1', '--with', 'holdfast', '--out', folder]
  const { stdout, stderr } = await bench('--scenario', 'uncontended', ...options)

  expect(stderr).toBe('')
  expect(stdout).toMatch(/^\| SET and DEL +\| +[\d.]+ \| +1\.00 \|/m)
  expect(stdout).toMatch(/^\| Holdfast +\| +[\d.]+ \| +\d+(\.\d+)? \|/m)
  expect(stdout).not.toContain('redlock')

  const report: unknown = JSON.parse(await readFile(join(folder, 'figures.json'), 'utf8'))
  expect(report).toMatchObject({
    facts: { node: process.versions.node, libraries: { '@holdfast/core': expect.any(String) as string } },
    figures: expect.arrayContaining([
      expect.objectContaining({ scenario: 'uncontended', of: 'Holdfast' }),
    ]) as unknown,
  })
  expect((await readdir(folder)).sort()).toEqual(['figures.json', 'tables.md', 'uncontended.svg'])
})

it('sharded publishing reduces what a Cluster sends over its bus', async () => {
  const { stdout } = await bench('--trial', '--rounds', '1', '--scenario', 'cluster-bus')
  // To the five other nodes, and to the one replica.
  expect(stdout).toMatch(/^\| PUBLISH .*\| +5 \|$/m)
  expect(stdout).toMatch(/^\| SPUBLISH .*\| +1 \|$/m)
})

it('an unknown scenario is refused with a list of the known ones', async () => {
  await expect(bench('--scenario', 'nonsense')).rejects.toThrow(/unknown scenario nonsense[^]*uncontended/)
})

it('a name that no contender has is refused with a list of theirs', async () => {
  await expect(bench('--scenario', 'uncontended', '--with', 'holdfast,nonsense')).rejects.toThrow(
    /--with nonsense: [^]*Holdfast; redlock 4/,
  )
})
