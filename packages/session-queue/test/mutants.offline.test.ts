import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formerSurvivors, mutantsOf, tryMutants, typescriptChanges, type Killer } from '@holdfast/mutants'
import * as real from '@holdfast/session-queue'
import { exploreOrders, scenarios } from './support/scenarios.js'
import { transcriptOf } from './support/transcript.js'

const folder = join(__dirname, '../src')
/** Those with steps and turns; what renews, inspects, lists or connects is tried by the suites. */
const modules = [
  'acquire',
  'obstacle',
  'place',
  'places',
  'release',
  'shared',
  'size-watches',
  'sizes',
  'turns',
]
const objects = ['lock', 'read-write-lock', 'semaphore'] as const
const seeds = Array.from({ length: 80 }, (_, n) => n + 1)

type Package = typeof real
type Sources = ReadonlyMap<string, string>

async function readSources(): Promise<Sources> {
  const files = (await readdir(folder)).filter((file) => /^[\w-]+\.ts$/.test(file))
  return new Map(
    await Promise.all(
      files.map(async (file) => [file.slice(0, -3), await readFile(join(folder, file), 'utf8')] as const),
    ),
  )
}

async function load(sources: Sources): Promise<Package> {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-queue-'))
  try {
    for (const [name, source] of sources) await writeFile(join(copy, `${name}.ts`), source)
    return jest.requireActual<Package>(join(copy, 'index.ts'))
  } finally {
    await rm(copy, { recursive: true })
  }
}

const transcripts = new Map<string, Promise<readonly string[]>>()

/** What the real one does, which is the same each time. */
function expected(object: (typeof objects)[number], seed: number): Promise<readonly string[]> {
  const key = `${object} ${seed}`
  const known = transcripts.get(key) ?? transcriptOf(real.sessionQueue, object, seed)
  transcripts.set(key, known)
  return known
}

function killersOf(make: Package['sessionQueue']): readonly Killer[] {
  const compare: Killer = {
    name: 'compare transcripts',
    find: async () => {
      for (const seed of seeds) {
        for (const object of objects) {
          const [was, is] = [await expected(object, seed), await transcriptOf(make, object, seed)]
          const at = was.findIndex((line, n) => line !== is[n])
          if (at >= 0 || is.length > was.length) return `${object} ${seed}: ${is[at]} instead of ${was[at]}`
        }
      }
      return null
    },
  }
  const explore = scenarios.map((scenario): Killer => ({
    name: scenario.title,
    find: async () => (await exploreOrders(scenario, make, 1))[0] ?? null,
  }))
  return [compare, ...explore]
}

const mutantsIn = (sources: Sources) =>
  modules.flatMap((file) => {
    const source = sources.get(file) ?? ''
    return mutantsOf(file, source, typescriptChanges(source))
  })

it('the same steps lead to the same requests, reports and replies', async () => {
  for (const object of objects) {
    for (const seed of seeds)
      expect(await transcriptOf(real.sessionQueue, object, seed)).toEqual(await expected(object, seed))
  }
})

it('every survivor that is listed names a mistake that can be made', async () => {
  expect(formerSurvivors('session-queue', mutantsIn(await readSources()))).toEqual([])
})

it('mistakes in the steps on session stores are found, or listed with the reason why they do no harm', async () => {
  const sources = await readSources()
  const wrong = await tryMutants({
    engine: 'session-queue',
    mutants: mutantsIn(sources),
    killersOf: async ({ file, source }) => {
      const { sessionQueue } = await load(new Map([...sources, [file, source]]))
      return killersOf(sessionQueue)
    },
  })
  expect(wrong).toEqual([])
}, 7_200_000)
