import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  formerSurvivors,
  mutantsOf,
  Transcripts,
  tryMutants,
  typescriptChanges,
  type Killer,
} from '@holdfast/mutants'
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

const transcripts = new Transcripts({
  real: real.sessionQueue,
  play: transcriptOf,
  played: ['lock', 'read-write-lock', 'semaphore'] as const,
  seeds: 80,
})

function killersOf(make: Package['sessionQueue']): readonly Killer[] {
  const explore = scenarios.map((scenario): Killer => ({
    name: scenario.title,
    find: async () => (await exploreOrders(scenario, make, 1))[0] ?? null,
  }))
  return [transcripts.killer(make), ...explore]
}

const mutantsIn = (sources: Sources) =>
  modules.flatMap((file) => {
    const source = sources.get(file) ?? ''
    return mutantsOf(file, source, typescriptChanges(source))
  })

it('the same steps lead to the same requests, reports and replies', async () => {
  expect(await transcripts.killer(real.sessionQueue).find()).toBeNull()
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
