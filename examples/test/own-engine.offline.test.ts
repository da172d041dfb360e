import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { documentEngine, type DocumentStore } from '@holdfast/documents'
import { sampled } from '@holdfast/testkit'
import { documentEngine as wholeEngine } from '../src/own-engine/document-engine.js'
import { DocumentTable } from '../src/own-engine/document-store.js'
import { TableStore } from '../src/own-engine/table-store.js'

let rows = new TableStore().open()

const tableStore: DocumentStore = {
  name: 'table',
  traits: new TableStore().traits,
  open: () => ({
    ...rows,
    read: (...request) => rows.read(...request),
    replace: (key, text, version, ...times) => rows.replace(key, text, Number(version), ...times),
  }),
}

// Its steps are those of the memory engine, which passes all of the suite.
describeInProcess(
  {
    name: 'A store of documents',
    engine: documentEngine(tableStore),
    tripsPerStep: 2,
    wipe: () => {
      rows = new TableStore().open()
    },
    commandCount: () => 0,
  },
  sampled(globalRunner(), 'A store of documents'),
)

let table = new DocumentTable()

describeInProcess(
  {
    name: 'Documents',
    engine: wholeEngine({
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
