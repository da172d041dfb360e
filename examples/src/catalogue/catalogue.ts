import { setTimeout as delay } from 'node:timers/promises'

const records = 6
/** For one record. Writing is slower, so a read that begins during an update overtakes it. */
const readMs = 2
const writeMs = 5

/** Records that belong together, in a store that reads and writes one at a time. Each has the number of its edition. */
export class Catalogue {
  reads = 0
  /** How many reads saw records of different editions. */
  tornReads = 0
  mostReaders = 0
  #readers = 0
  readonly #records = new Array<number>(records).fill(0)

  /** The edition, or `null` if the records are not of the same one. */
  async read(): Promise<number | null> {
    this.#readers += 1
    this.mostReaders = Math.max(this.mostReaders, this.#readers)
    const found = new Set<number>()
    for (let record = 0; record < records; record += 1) {
      await delay(readMs)
      found.add(this.#records[record] ?? 0)
    }
    this.#readers -= 1
    this.reads += 1
    const [edition = 0] = found
    if (found.size === 1) return edition
    this.tornReads += 1
    return null
  }

  async replace(edition: number): Promise<void> {
    for (let record = 0; record < records; record += 1) {
      await delay(writeMs)
      this.#records[record] = edition
    }
  }
}
