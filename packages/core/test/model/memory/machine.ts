import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lockState from '../../../../memory/src/lock-state.js'
import * as steps from '../../../../memory/src/steps.js'

/** The state machine of the memory engine. */
export interface Machine {
  readonly settle: typeof lockState.settle
  readonly steps: Pick<typeof steps, 'acquire' | 'release' | 'refresh' | 'force'>
}

export const realMachine: Machine = { settle: lockState.settle, steps }

const folder = join(__dirname, '../../../../memory/src')
const modules = ['lock-state', 'hand-off', 'steps'] as const

export type MachineModule = (typeof modules)[number]

export async function readSources(): Promise<ReadonlyMap<MachineModule, string>> {
  const read = async (name: MachineModule) =>
    [name, await readFile(join(folder, `${name}.ts`), 'utf8')] as const
  return new Map(await Promise.all(modules.map(read)))
}

/** The machine that these sources make. */
export async function loadMachine(sources: ReadonlyMap<MachineModule, string>): Promise<Machine> {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-machine-'))
  try {
    for (const [name, source] of sources) await writeFile(join(copy, `${name}.ts`), source)
    const { settle } = jest.requireActual<typeof lockState>(join(copy, 'lock-state.ts'))
    return { settle, steps: jest.requireActual<typeof steps>(join(copy, 'steps.ts')) }
  } finally {
    await rm(copy, { recursive: true })
  }
}
