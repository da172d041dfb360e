import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Bundle, Simulation } from '@holdfast/sim'

const program = join(__dirname, '../dist/sim.js')
const seed = 40

it.each([
  ['memory', 'quorum', 3],
  ['documents', 'semaphore', 1],
  ['sessions', 'lock', 1],
  ['redis', 'read-write-lock', 1],
] as const)(
  'a seed has the same history on %s alone, after others, and in another process',
  async (engine, object, servers) => {
    const open = async () => new Simulation({ engine, object, servers }, await Bundle.make())
    const simulation = await open()
    const alone = (await simulation.campaign(seed, 1)).digest
    await simulation.campaign(1, 10)
    expect((await simulation.campaign(seed, 1)).digest).toBe(alone)
    expect((await (await open()).campaign(seed, 1)).digest).toBe(alone)
    const args = [program, '--engine', engine, '--object', object, '--seed', String(seed), '--runs', '1']
    expect((await promisify(execFile)(process.execPath, args)).stdout).toContain(alone)
    expect((await simulation.campaign(seed + 1, 1)).digest).not.toBe(alone)
  },
)
