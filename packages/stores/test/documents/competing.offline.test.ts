import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { documentEngine } from '@holdfast/stores/documents'
import { sampled } from '@holdfast/testkit'
import { DocumentTable } from '@holdfast/sim/stores'

const table = new DocumentTable()

describeInProcess(
  {
    name: 'Documents in memory, without a queue',
    engine: documentEngine(table, { queue: false }),
    tripsPerStep: 2,
    wipe: () => table.wipe(),
    commandCount: () => table.commands,
  },
  sampled(globalRunner(), 'documents without a queue', /hand-off|exclusion/),
)
