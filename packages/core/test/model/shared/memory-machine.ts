import * as sharedState from '../../../../memory/src/shared-state.js'
import * as steps from '../../../../memory/src/shared-steps.js'
import { loadModules, readModules } from '../memory/machine.js'

/** The state machine of read/write locks and semaphores in the memory engine. */
export interface SharedMachine {
  readonly settleShared: typeof sharedState.settleShared
  readonly steps: Pick<typeof steps, 'acquire' | 'release' | 'renew' | 'refresh' | 'force' | 'resize'>
}

export const realSharedMachine: SharedMachine = { settleShared: sharedState.settleShared, steps }

const modules = ['waiting-state', 'shared-state', 'hand-off', 'shared-steps'] as const

export type SharedModule = (typeof modules)[number]

export const readSharedSources = (): Promise<ReadonlyMap<SharedModule, string>> => readModules(modules)

/** The machine that these sources make. */
export const loadSharedMachine = (sources: ReadonlyMap<SharedModule, string>): Promise<SharedMachine> =>
  loadModules(sources, (pathOf) => {
    const { settleShared } = jest.requireActual<typeof sharedState>(pathOf('shared-state'))
    return { settleShared, steps: jest.requireActual<typeof steps>(pathOf('shared-steps')) }
  })
