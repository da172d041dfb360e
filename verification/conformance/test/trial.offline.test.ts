import { describeInProcess } from '@holdfast/conformance'
import { trialEngine } from './support/trial-engine.js'
import { TrialStore } from './support/trial-store.js'

const store = new TrialStore()

describeInProcess({
  name: 'Trial engine',
  engine: trialEngine(store),
  wipe: () => store.wipe(),
  commandCount: () => store.steps,
})
