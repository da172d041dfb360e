import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { trialEngine } from './support/trial-engine.js'
import { TrialStore } from './support/trial-store.js'

const store = new TrialStore()

describeInProcess(
  {
    name: 'Trial engine, two trips per step',
    engine: trialEngine(store),
    tripsPerStep: 2,
    wipe: () => store.wipe(),
    commandCount: () => store.steps,
  },
  sampled(globalRunner(), 'two trips'),
)
