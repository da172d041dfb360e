import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { memory } from '@holdfast/stores/memory'
import { sampled } from '@holdfast/testkit'

const store = memory()

// All of it in virtual time: verification/sim.
describeInProcess(
  {
    name: 'Memory',
    engine: store,
    wipe: () => store.failOver(),
    commandCount: () => store.commands,
  },
  sampled(globalRunner(), 'memory in real time'),
)
