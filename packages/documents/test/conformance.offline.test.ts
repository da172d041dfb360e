import { describeInProcess } from '@holdfast/conformance'
import { documentEngine } from '@holdfast/documents'
import { DocumentTable } from '@holdfast/sim/stores'

const table = new DocumentTable()

describeInProcess({
  name: 'Documents in memory',
  engine: documentEngine(table),
  tripsPerStep: 2,
  wipe: () => table.wipe(),
  commandCount: () => table.commands,
})
