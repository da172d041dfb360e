import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFullMatrix } from '@holdfast/testkit'
import { compileApp, ScenarioProcess, type Variant } from './support/nest-app.js'

const sources = join(__dirname, 'app')

const titles = readdirSync(sources).flatMap((file) => {
  const source = readFileSync(join(sources, file), 'utf8')
  const found = [...source.matchAll(/^ *scenario\(\s*(['`])(.+)\1,/gm)].map(([, , title = '']) => title)
  return found.flatMap((title) =>
    title.includes('${platform}')
      ? ['express', 'fastify'].map((platform) => title.replace('${platform}', platform))
      : [title],
  )
})

const variants: readonly Variant[] = [
  { nest: 11, system: 'cjs' },
  { nest: 12, system: 'esm' },
  ...(isFullMatrix
    ? ([
        { nest: 11, system: 'esm' },
        { nest: 12, system: 'cjs' },
      ] as const)
    : []),
]

describe.each(variants)('on Nest $nest, compiled to $system', (variant) => {
  let process: ScenarioProcess

  // Compiles test/app/types.ts, too, which says what must not compile.
  beforeAll(async () => {
    process = await ScenarioProcess.start(await compileApp('scenarios', variant))
  })

  afterAll(() => process[Symbol.asyncDispose]())

  it('every scenario is found', () => expect(process.titles).toHaveLength(titles.length))

  it.each(titles)('%s', (title) => process.run(title))
})
