import { loadMachine, readSources } from '@holdfast/model'
import { memoryKillers } from '../src/memory-killers.js'
import { mutantsOf } from '../src/generate/mutant.js'
import { typescriptChanges } from '../src/generate/typescript-changes.js'
import { formerSurvivors, tryMutants } from '../src/hunt/try-mutants.js'

const mutantsIn = (sources: ReadonlyMap<string, string>) =>
  [...sources].flatMap(([file, source]) => mutantsOf(file, source, typescriptChanges(source)))

it('every survivor that is listed names a mistake that can be made', async () => {
  expect(formerSurvivors('memory', mutantsIn(await readSources()))).toEqual([])
})

it('mistakes in the steps of the memory engine are found, or listed with the reason why they do no harm', async () => {
  const sources = await readSources()
  const wrong = await tryMutants({
    engine: 'memory',
    mutants: mutantsIn(sources),
    killersOf: async ({ file, source }) =>
      memoryKillers(await loadMachine(new Map([...sources, [file, source]])), file),
  })
  expect(wrong).toEqual([])
}, 3_600_000)
