import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { documentEngine } from '@holdfast/documents'
import { DocumentTable } from '@holdfast/sim/stores'
import { sampled } from '@holdfast/testkit'

const table = new DocumentTable()

// All of it in virtual time: verification/sim.
describeInProcess(
  {
    name: 'Documents in memory',
    engine: documentEngine(table),
    tripsPerStep: 2,
    wipe: () => table.wipe(),
    commandCount: () => table.commands,
  },
  sampled(globalRunner(), 'documents in real time'),
)
