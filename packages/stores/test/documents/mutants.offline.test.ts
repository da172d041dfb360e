import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as real from '@holdfast/stores/documents'
import {
  formerSurvivors,
  mutantsOf,
  Transcripts,
  tryMutants,
  typescriptChanges,
  type Killer,
} from '@holdfast/mutants'
import { problemsOfListing } from './support/many-documents.js'
import { transcriptOf } from './support/transcript.js'

// It takes no time to wait.
jest.mock('node:timers/promises', () => ({
  setTimeout: () => new Promise((resolve) => setImmediate(resolve)),
}))

const folder = join(__dirname, '../../src/documents')
/** Those that carry steps out; the steps are tried with @holdfast/stores/memory, and what waits and looks again by the suites. */
const modules = [
  'acquire',
  'claims',
  'coarse-clock',
  'commands',
  'engine',
  'kinds',
  'latches',
  'objects',
  'operator',
  'poll-pace',
]

type Package = typeof real

const readSources = async (): Promise<ReadonlyMap<string, string>> =>
  new Map(
    await Promise.all(
      modules.map(async (name) => [name, await readFile(join(folder, `${name}.ts`), 'utf8')] as const),
    ),
  )

/** The package with one module changed. */
async function load(name: string, source: string): Promise<Package> {
  const copy = await mkdtemp(join(tmpdir(), 'holdfast-documents-'))
  try {
    for (const entry of await readdir(folder))
      await cp(join(folder, entry), join(copy, entry), { recursive: true })
    await writeFile(join(copy, `${name}.ts`), source)
    return jest.requireActual<Package>(join(copy, 'index.ts'))
  } finally {
    await rm(copy, { recursive: true })
  }
}

const transcripts = new Transcripts({
  real: real.documentEngine,
  play: transcriptOf,
  played: ['lock', 'read-write-lock', 'semaphore', 'latch'] as const,
  seeds: 60,
})

/** More than one step of a listing reads. */
const listing = (make: Package['documentEngine']): Killer => ({
  name: 'list pages',
  find: async () => {
    const problems = await problemsOfListing(make)
    return problems[0] ?? null
  },
})

const mutantsIn = (sources: ReadonlyMap<string, string>) =>
  [...sources].flatMap(([file, source]) => mutantsOf(file, source, typescriptChanges(source)))

beforeEach(() => {
  jest.spyOn(Math, 'random').mockReturnValue(0.5)
})

it('the same steps lead to the same documents, reports and replies', async () => {
  expect(await transcripts.killer(real.documentEngine).find()).toBeNull()
})

it('a listing of many documents has each of them once', async () => {
  expect(await problemsOfListing(real.documentEngine)).toEqual([])
})

it('every survivor that is listed names a mistake that can be made', async () => {
  expect(formerSurvivors('documents', mutantsIn(await readSources()))).toEqual([])
})

it('mistakes in carrying steps out on documents are found, or listed with the reason why they do no harm', async () => {
  const sources = await readSources()
  const wrong = await tryMutants({
    engine: 'documents',
    mutants: mutantsIn(sources),
    killersOf: async ({ file, source }) => {
      const { documentEngine } = await load(file, source)
      return [transcripts.killer(documentEngine), listing(documentEngine)]
    },
  })
  expect(wrong).toEqual([])
}, 7_200_000)
