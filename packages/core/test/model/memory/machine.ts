import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lockState from '../../../../memory/src/lock-state.js'
import * as steps from '../../../../memory/src/steps.js'

/** The state machine of the memory engine. */
export interface Machine {
  readonly settle: typeof lockState.settle
  readonly steps: Pick<typeof steps, 'acquire' | 'release' | 'refresh' | 'force' | 'renew'>
}

export const realMachine: Machine = { settle: lockState.settle, steps }

const folder = join(__dirname, '../../../../memory/src')
const modules = ['waiting-state', 'lock-state', 'hand-off', 'steps'] as const

export type MachineModule = (typeof modules)[number]

export const readSources = (): Promise<ReadonlyMap<MachineModule, string>> => readModules(modules)

/** The machine that these sources make. */
export const loadMachine = (sources: ReadonlyMap<MachineModule, string>): Promise<Machine> =>
  loadModules(sources, (pathOf) => {
    const { settle } = jest.requireActual<typeof lockState>(pathOf('lock-state'))
    return { settle, steps: jest.requireActual<typeof steps>(pathOf('steps')) }
  })

/** The sources of modules of the memory engine, by name. */
export async function readModules<Name extends string>(
  names: readonly Name[],
): Promise<ReadonlyMap<Name, string>> {
  const read = async (name: Name) => [name, await readFile(join(folder, `${name}.ts`), 'utf8')] as const
  return new Map(await Promise.all(names.map(read)))
}

/** What `pick` takes from modules with these sources. */
export async function loadModules<Name extends string, T>(
  sources: ReadonlyMap<Name, string>,
  pick: (pathOf: (name: Name) => string) => T,
): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-machine-'))
  try {
    for (const [name, source] of sources) await writeFile(join(copy, `${name}.ts`), source)
    return pick((name) => join(copy, `${name}.ts`))
  } finally {
    await rm(copy, { recursive: true })
  }
}
