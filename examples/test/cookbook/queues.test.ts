import type { Worker } from '@holdfast/testkit'
import { useApps } from './use-apps.js'

const apps = useApps()
const packages = ['p-queue', 'async', 'fastq', 'bottleneck', 'dataloader', 'setTimeout']
const cures = ['bind', 'reentrant: false']
let app: Worker

beforeEach(async () => {
  app = await apps.start('queues')
})

/** How many of 20 units were taken, each under the lock, and which warnings there were. */
async function play(how: string, cure: string, library = ''): Promise<{ took: number; warnings: unknown }> {
  await app.send({ type: 'play', play: how, library, cure })
  const { took, warnings } = await app.waitFor('took')
  return { took: Number(took), warnings }
}

const allTaken = { took: 20, warnings: [] }

it.each(packages)(
  'through %s, jobs of others start inside the hold of one request: they take turns, but lose updates to it, until a cure',
  async (library) => {
    expect((await play('onlyJobs', 'none', library)).took).toBe(20)
    expect((await play('inQueue', 'none', library)).took).toBeLessThan(20)
    for (const cure of cures) expect(await play('inQueue', cure, library)).toEqual(allTaken)
  },
)

it('an Express app whose requests share a p-queue loses updates without a cure, and none with it', async () => {
  expect((await play('inShop', 'none')).took).toBeLessThan(20)
  for (const cure of cures) expect(await play('inShop', cure)).toEqual(allTaken)
})

it('what generic-pool creates for one request during the call of another is inside its hold, until a cure', async () => {
  expect((await play('inPool', 'none')).took).toBeLessThan(20)
  for (const cure of cures) expect(await play('inPool', cure)).toEqual(allTaken)
})
