import { execFile, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const root = join(__dirname, '../../../..')
const package_ = join(root, 'packages/nestjs')
const sources = join(package_, 'test/app')

/** A major version of Nest, and the module system of the application. */
export interface Variant {
  readonly nest: 11 | 12
  readonly system: 'esm' | 'cjs'
}

const installed = { 11: join(package_, 'test/nest-11/node_modules'), 12: join(package_, 'node_modules') }

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2022', 'ESNext.Disposable'],
    module: 'NodeNext',
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    esModuleInterop: true,
    experimentalDecorators: true,
    emitDecoratorMetadata: true,
    skipLibCheck: true,
    rootDir: 'src',
    outDir: 'out',
  },
  include: ['src'],
}

/**
 * Compiles the application in `test/app` as a user would: against the files that the package publishes, beside one major version of Nest.
 *
 * @param name - of the test, since tests run at the same time
 * @returns the folder of the compiled files
 */
export async function compileApp(name: string, { nest, system }: Variant): Promise<string> {
  const folder = join(root, '.cache/nestjs', `${name}-${nest}-${system}`)
  await rm(folder, { recursive: true, force: true })
  const modules = join(folder, 'node_modules')
  // A copy, so that Node.js looks for Nest here and not beside the package.
  await mkdir(join(modules, '@holdfast/nestjs'), { recursive: true })
  for (const published of ['package.json', 'dist'])
    await cp(join(package_, published), join(modules, '@holdfast/nestjs', published), { recursive: true })
  const nestPackages = (await readdir(join(installed[nest], '@nestjs'))).map((each) => `@nestjs/${each}`)
  const links = {
    '@holdfast/core': join(root, 'packages/core'),
    '@holdfast/stores': join(root, 'packages/stores'),
    '@types/node': join(root, 'node_modules/@types/node'),
    ...Object.fromEntries(
      [...nestPackages, 'rxjs', 'reflect-metadata'].map((each) => [each, join(installed[nest], each)]),
    ),
  }
  for (const [name, target] of Object.entries(links)) {
    await mkdir(dirname(join(modules, name)), { recursive: true })
    await symlink(target, join(modules, name))
  }
  await cp(sources, join(folder, 'src'), { recursive: true })
  for (const [i, snippet] of (await readSnippets()).entries())
    await writeFile(join(folder, `src/snippet-${i}.ts`), snippet)
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ type: system === 'esm' ? 'module' : 'commonjs' }),
  )
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error: unknown) => {
    throw new Error(error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error))
  })
  return join(folder, 'out')
}

/** What the pages about Nest show, apart from files. */
async function readSnippets(): Promise<string[]> {
  const pages = [join(package_, 'README.md'), join(root, 'docs/recipes/nestjs.md')]
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')))
  const snippets = texts.flatMap((text) => {
    const withoutFiles = text.replace(/<!-- file: .*?<!-- end of file -->/gs, '')
    return [...withoutFiles.matchAll(/^```typescript\n(.*?)^```$/gms)].map(([, code = '']) => code)
  })
  if (snippets.length < pages.length) throw new Error('the pages about Nest show nothing to compile')
  return snippets
}

/** A process that runs scenarios by their titles. */
export class ScenarioProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly titles: readonly string[]

  private constructor(child: ChildProcess, titles: readonly string[]) {
    this.#child = child
    this.titles = titles
  }

  static async start(folder: string): Promise<ScenarioProcess> {
    const child = fork(join(folder, 'main.js'), {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const [{ titles }] = (await once(child, 'message')) as [{ titles: string[] }]
    return new ScenarioProcess(child, titles)
  }

  /** Rejects as the scenario does. */
  async run(title: string): Promise<void> {
    const ended = once(this.#child, 'message')
    this.#child.send(title)
    const [result] = (await ended) as [{ title: string; error?: string }]
    if (result.title !== title || result.error !== undefined)
      throw new Error(result.error ?? `ran ${result.title}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}
