import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { documentEngine } from '../src/own-engine/document-engine.js'
import { DocumentTable } from '../src/own-engine/document-store.js'

let table = new DocumentTable()

describeInProcess(
  {
    name: 'Documents',
    engine: documentEngine({
      get id() {
        return table.id
      },
      update: (key, signal, change) => table.update(key, signal, change),
    }),
    wipe: () => {
      table = new DocumentTable()
    },
    commandCount: () => 0,
  },
  sampled(globalRunner(), 'Documents'),
)
