// Many processes read a catalogue record by record, and one replaces it now and then. How does each of them read a whole record?
import { Holdfast, type ReadWriteLock } from '@holdfast/core'
import { setTimeout as delay } from 'node:timers/promises'
import { Catalogue } from './catalogue/catalogue.js'
import { runLocalExample } from './support/run-local-example.js'

const readersPerShop = 6
const readsPerReader = 10
const editions = 5
const betweenEditionsMs = 30

await runLocalExample('catalogue', async (store) => {
  await using editor = new Holdfast({ ...store, label: 'the editor' })
  await using east = new Holdfast({ ...store, label: 'the shop in the east' })
  await using west = new Holdfast({ ...store, label: 'the shop in the west' })
  const lockOf = (client: Holdfast) => client.getReadWriteLock('catalogue')
  const shops = [lockOf(east), lockOf(west)]

  console.log(
    `${shops.length * readersPerShop} readers in two shops, and an editor who publishes ${editions} editions:`,
  )
  const unlocked = new Catalogue()
  await Promise.all([
    ...shops.map(() => serve(() => unlocked.read())),
    publish((edition) => unlocked.replace(edition)),
  ])
  report('without a lock', unlocked)

  const locked = new Catalogue()
  const serveLocked = ({ read }: ReadWriteLock) => serve(() => read.withLock(() => locked.read()))
  await Promise.all([
    ...shops.map(serveLocked),
    publish((edition) => replaceAndCheck(lockOf(editor), locked, edition)),
  ])
  report('with a read/write lock', locked)
})

/** The readers of one shop, each of whom reads the catalogue again and again. */
async function serve(read: () => Promise<unknown>): Promise<void> {
  const reader = async () => {
    for (let n = 0; n < readsPerReader; n += 1) await read()
  }
  await Promise.all(Array.from({ length: readersPerShop }, reader))
}

async function publish(replace: (edition: number) => Promise<void>): Promise<void> {
  for (let edition = 1; edition <= editions; edition += 1) {
    await delay(betweenEditionsMs)
    await replace(edition)
  }
}

/** Replaces the catalogue as a writer and checks it as a reader: no other writer gets in between, and readers need not wait. */
async function replaceAndCheck(
  { read, write }: ReadWriteLock,
  catalogue: Catalogue,
  edition: number,
): Promise<void> {
  const lease = await write.withLock(async () => {
    await catalogue.replace(edition)
    return read.lock()
  })
  try {
    const found = await catalogue.read()
    if (found !== edition) throw new Error(`published edition ${edition}, and found ${found ?? 'half of it'}`)
  } finally {
    await lease.unlock()
  }
}

function report(how: string, { reads, tornReads, mostReaders }: Catalogue): void {
  console.log(
    `${how.padEnd(22)}  ${reads} reads, ${tornReads} of half an update; up to ${mostReaders} readers at a time`,
  )
}
