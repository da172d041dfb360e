import { PGlite } from '@electric-sql/pglite'
import { describeInProcess, globalRunner } from '@holdfast/conformance'
import { sampled } from '@holdfast/testkit'
import { postgres } from '@holdfast/stores/postgres'
import { countedCalls, wipeSql } from './support/postgres-schema.js'

// One process and one session: there is no other process to kill or freeze, no server to restart, and no replica.

let commands = 0

class CountingPGlite extends PGlite {
  override query: PGlite['query'] = (text, ...more) => {
    if (countedCalls.test(text)) commands += 1
    return super.query(text, ...more)
  }
}

const database = new CountingPGlite()

describeInProcess(
  {
    name: 'PGlite',
    engine: postgres({ pglite: database }),
    start: () => database.waitReady,
    stop: () => database.close(),
    wipe: async () => {
      await database.exec(wipeSql)
    },
    commandCount: () => commands,
  },
  sampled(globalRunner(), 'PGlite'),
)
