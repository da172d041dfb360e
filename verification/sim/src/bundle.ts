import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { build, type Plugin } from 'esbuild'
import { globalsOf, type Place } from './globals.js'
import type * as program from './program/index.js'
import type { Realm } from './realm.js'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Where the compiler puts them. */
const built = {
  core: 'packages/core/build',
  documents: 'packages/stores/build/documents',
  memory: 'packages/stores/build/memory',
  pubsub: 'packages/pubsub/build',
  sessions: 'packages/stores/build/sessions',
} as const

type Part = keyof typeof built

/** In one module of the bundle, replaces every occurrence of a text, both as esbuild prints them. */
export interface Edit {
  /** Whose module. */
  readonly of: Part
  readonly file: string
  readonly find: string
  readonly replace: string
}

type Sources = Readonly<Partial<Record<Part, string>>>

/** What one copy of the program exports. */
export type Program = typeof program

/** Copies of one program. To make one takes longer than many a schedule, so they are used again: none keeps anything between schedules. */
export class Copies {
  readonly #evaluate: (globals: ReadonlyMap<string, unknown>) => Program
  readonly #free: Copy[] = []
  readonly #taken: Copy[] = []

  constructor(evaluate: (globals: ReadonlyMap<string, unknown>) => Program) {
    this.#evaluate = evaluate
  }

  /** One that runs in that process, until all are given back. */
  takeFor(realm: Realm): Program {
    const copy = this.#free.pop() ?? this.#make(realm)
    copy.place.realm = realm
    this.#taken.push(copy)
    return copy.program
  }

  /** One that nothing ever ran in. */
  makeFor(realm: Realm): Program {
    return this.#make(realm).program
  }

  giveBack(): void {
    this.#free.push(...this.#taken.splice(0).reverse())
  }

  #make(realm: Realm): Copy {
    const place = { realm }
    return { place, program: this.#evaluate(globalsOf(place)) }
  }
}

interface Copy {
  readonly place: Place
  readonly program: Program
}

/** The program of all processes, with the library as the compiler built it. */
export class Bundle {
  readonly #text: string
  #whole: Copies | undefined

  private constructor(text: string) {
    this.#text = text
  }

  /** @param sources - folders with the sources of parts that take the place of what was built */
  static async make(sources: Sources = {}): Promise<Bundle> {
    const { outputFiles } = await build({
      entryPoints: [join(root, 'verification/sim/src/program/index.ts')],
      absWorkingDir: root,
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      logLevel: 'error',
      tsconfigRaw: {},
      external: ['ioredis'],
      plugins: [workspace(sources)],
    })
    const text = outputFiles[0]?.text ?? ''
    // Random numbers that were drawn in advance would be those of another seed.
    return new Bundle(text.replace(/POOL_SIZE_MULTIPLIER = \d+/, 'POOL_SIZE_MULTIPLIER = 1'))
  }

  /** Throws if a text to be replaced is missing: the mistake would then be none. */
  compile(edits: readonly Edit[] = []): Copies {
    if (edits.length === 0) return (this.#whole ??= copiesOf(this.#text))
    return copiesOf(edits.reduce(edited, this.#text))
  }
}

function edited(text: string, { of, file, find, replace }: Edit): string {
  const head = `\n// ${built[of]}/${file}\n`
  const modules = text.split(/(?=\n\/\/ (?:packages|verification|node_modules)\/[^\n]*\n)/)
  const at = modules.findIndex((module) => module.startsWith(head) && module.includes(find))
  const module = modules[at]
  if (module === undefined) throw new Error(`${file} of ${of} has no text ${JSON.stringify(find)}`)
  modules[at] = module.replaceAll(find, () => replace)
  return modules.join('')
}

/** What a program finds under names of its own, beside the globals of a realm. */
const ofModule = ['module', 'exports'] as const

function copiesOf(text: string): Copies {
  let compiled: { readonly names: readonly string[]; readonly run: object } | undefined
  return new Copies((globals) => {
    const names = [...ofModule, ...globals.keys()]
    compiled ??= { names, run: compileFunction(text, names, { filename: 'program.cjs' }) }
    const module: { exports: object } = { exports: {} }
    if (typeof compiled.run !== 'function') throw new Error('nothing was compiled')
    Reflect.apply(compiled.run, undefined, [module, module.exports, ...globals.values()])
    return module.exports as Program
  })
}

/** Finds packages where the compiler put them, and what only verifies in its sources. Histories are in true time. */
const workspace = (sources: Sources): Plugin => ({
  name: 'workspace',
  setup(bundle) {
    const folders = Object.values(sources)
    bundle.onResolve({ filter: /^@holdfast\/testkit\/process$/ }, ({ path }) => ({
      path,
      namespace: 'true-time',
    }))
    bundle.onLoad({ filter: /.*/, namespace: 'true-time' }, () => ({
      contents: 'export const nowMs = trueNowMs',
    }))
    bundle.onResolve(
      { filter: /^@holdfast\/(core|pubsub|stores\/(documents|memory|sessions))(\/|$)/ },
      ({ path }) => {
        const [name, ...entry] = path.replace(/^@holdfast\/(stores\/)?/, '').split('/')
        const part = name as Part
        const folder = sources[part]
        return {
          path: folder ? join(folder, ...entry, 'index.ts') : join(root, built[part], ...entry, 'index.js'),
        }
      },
    )
    bundle.onResolve({ filter: /^@holdfast\/(chaos|conformance)(\/|$)/ }, ({ path }) => {
      const [, name = '', entry = ''] = path.split('/')
      return { path: join(root, 'verification', name, 'src', entry, 'index.ts'), sideEffects: false }
    })
    bundle.onResolve({ filter: /^\..*\.js$/ }, async ({ path, resolveDir }) => {
      const isSource = resolveDir.includes('/verification/') || folders.includes(resolveDir)
      if (!isSource) return undefined
      const source = join(resolveDir, path.replace(/\.js$/, '.ts'))
      return readFile(source).then(
        () => ({ path: source, sideEffects: false }),
        () => undefined,
      )
    })
  },
})
