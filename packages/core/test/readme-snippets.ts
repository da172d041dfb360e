import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const root = join(__dirname, '../../..')

/** What a snippet without imports may use; docs/objects/lock.md shows it to the reader. */
const prelude = [
  "import { Holdfast } from '@holdfast/core'",
  "import { Redis } from 'ioredis'",
  "import { setTimeout as sleep } from 'node:timers/promises'",
  "const redis = new Redis('redis://localhost:6379')",
  'const holdfast = new Holdfast({ redis })',
  "const lock = holdfast.getLock('order:42')",
].join(';')

/** A fenced block of a page, as a module that exports `run`. */
export interface Snippet {
  /** File and line of its first line, for people. */
  readonly where: string
  readonly file: string
  readonly firstLine: number
  /** Its first line takes the place of the fence, so that line numbers differ by a constant. */
  readonly module: string
  /** What its `// prints:` comments promise, in order. */
  readonly prints: readonly string[]
}

/** The text of a page of the project. */
export const readPage = (page: string): string => readFileSync(join(root, page), 'utf8')

/** The TypeScript and JavaScript blocks of every page that promises to run. */
export function readSnippets(): Snippet[] {
  const docs = readdirSync(join(root, 'docs'), { encoding: 'utf8', recursive: true }).filter((name) =>
    name.endsWith('.md'),
  )
  const pages = [
    'README.md',
    'packages/core/README.md',
    'packages/stores/README.md',
    ...docs.sort().map((name) => `docs/${name}`),
  ]
  return pages.flatMap(snippetsOf)
}

function snippetsOf(page: string): Snippet[] {
  const text = readPage(page)
  return [...text.matchAll(/^```(?:ts|js)\n(.*?)^```$/gms)].map(({ index, 1: body = '' }) => {
    const firstLine = text.slice(0, index).split('\n').length + 1
    const prints = [...body.matchAll(/\/\/ prints: (.*)$/gm)].map(([, line = '']) => line)
    return { where: `${page}:${firstLine}`, file: page, firstLine, module: moduleOf(body), prints }
  })
}

function moduleOf(body: string): string {
  const isImport = (line: string): boolean => line.startsWith('import ')
  const lines = body.split('\n')
  const imports = lines.filter(isImport)
  const head = imports.length > 0 ? imports.join(';') : prelude
  const rest = lines.map((line) => (isImport(line) ? '' : line)).join('\n')
  return `${head};export async function run(): Promise<void> {\n${rest}\n}\n`
}

/** A snippet's module as CommonJS. */
export function compile(snippet: Snippet): string {
  const { ES2022: target } = ts.ScriptTarget
  return ts.transpileModule(snippet.module, { compilerOptions: { module: ts.ModuleKind.CommonJS, target } })
    .outputText
}

/** What the type checker says about each snippet, under its `where`. */
export function typeErrors(snippets: readonly Snippet[]): Map<string, string[]> {
  const sources = new Map(snippets.map((snippet, i) => [join(__dirname, `snippet-${i}.ts`), snippet]))
  const options = { ...readOptions(), noUnusedLocals: false }
  const host = ts.createCompilerHost(options)
  const onDisk = { ...host }
  host.fileExists = (name) => sources.has(name) || onDisk.fileExists(name)
  host.getSourceFile = (name, target, ...rest) => {
    const snippet = sources.get(name)
    if (!snippet) return onDisk.getSourceFile(name, target, ...rest)
    return ts.createSourceFile(name, snippet.module, target)
  }
  const program = ts.createProgram([...sources.keys()], options, host)
  return new Map(
    [...sources].map(([name, snippet]) => {
      const file = program.getSourceFile(name)
      const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]
      return [snippet.where, found.map((diagnostic) => tell(diagnostic, snippet))]
    }),
  )
}

function readOptions(): ts.CompilerOptions {
  const config: unknown = ts.readConfigFile(join(root, 'tsconfig.test.json'), (name) =>
    ts.sys.readFile(name),
  ).config
  return ts.parseJsonConfigFileContent(config, ts.sys, root).options
}

function tell({ file, start = 0, messageText }: ts.Diagnostic, snippet: Snippet): string {
  const line = file ? file.getLineAndCharacterOfPosition(start).line - 1 : 0
  return `${snippet.file}:${snippet.firstLine + line} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
}
