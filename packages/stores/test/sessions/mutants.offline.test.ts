import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
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
import * as real from '@holdfast/stores/sessions'
import { Bundle, Simulation } from '@holdfast/sim'
import { transcriptOf } from './support/transcript.js'

const folder = join(__dirname, '../../src/sessions')
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

/** Of each object. */
const schedules = 60

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

let copies: string
beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), 'holdfast-queue-'))
})
afterAll(() => rm(copies, { recursive: true }))

let made = 0

/** Where the package is, with one module changed. */
async function copyWith(sources: Sources): Promise<string> {
  const copy = join(copies, String((made += 1)))
  await mkdir(copy)
  for (const [name, source] of sources) await writeFile(join(copy, `${name}.ts`), source)
  return copy
}

const objects = ['lock', 'read-write-lock', 'semaphore'] as const

const transcripts = new Transcripts({
  real: real.sessionQueue,
  play: transcriptOf,
  played: objects,
  seeds: 80,
})

/** Random schedules of calls and faults, in virtual time. */
const simulating = (copy: string): Killer => ({
  name: 'simulate',
  find: async () => {
    const bundle = await Bundle.make({ sessions: copy })
    for (const object of objects) {
      const simulation = new Simulation({ engine: 'sessions', object, servers: 1 }, bundle)
      for (let seed = 1; seed <= schedules; seed += 1) {
        const [problem] = (await simulation.play(simulation.draw(seed), seed)).problems
        if (problem !== undefined) return `${object} ${seed}: ${problem}`
      }
    }
    return null
  },
})

const mutantsIn = (sources: Sources) =>
  modules.flatMap((file) => {
    const source = sources.get(file) ?? ''
    return mutantsOf(file, source, typescriptChanges(source))
  })

it('the same steps lead to the same requests, reports and replies', async () => {
  expect(await transcripts.killer(real.sessionQueue).find()).toBeNull()
})

it('every survivor that is listed names a mistake that can be made', async () => {
  expect(formerSurvivors('sessions', mutantsIn(await readSources()))).toEqual([])
})

it('mistakes in the steps on session stores are found, or listed with the reason why they do no harm', async () => {
  const sources = await readSources()
  const wrong = await tryMutants({
    engine: 'sessions',
    mutants: mutantsIn(sources),
    killersOf: async ({ file, source }) => {
      const copy = await copyWith(new Map([...sources, [file, source]]))
      const { sessionQueue } = jest.requireActual<Package>(join(copy, 'index.ts'))
      return [transcripts.killer(sessionQueue), simulating(copy)]
    },
  })
  expect(wrong).toEqual([])
}, 7_200_000)
