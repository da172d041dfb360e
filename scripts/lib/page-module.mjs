// The dashboard's page as the text of a TypeScript module.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const banner = `/**
 * DO NOT EDIT: the build makes this of packages/cli/page/.
 */
`

/** A name that changes with the content, so that browsers may keep the file. */
const hashedName = (name, text) =>
  name.replace('.', `.${createHash('sha256').update(text).digest('hex').slice(0, 10)}.`)

/**
 * Bundles `main.tsx` of a folder, and what it imports, with its `index.html`.
 *
 * @param folder - ends in a slash
 * @param build - esbuild's
 */
export async function pageModule(folder, build) {
  const { outputFiles } = await build({
    entryPoints: [`${folder}main.tsx`],
    bundle: true,
    minify: true,
    write: false,
    outdir: folder,
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.2'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    charset: 'utf8',
    tsconfigRaw: '{}',
  })
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim()
  const files = [
    ['app.js', textOf('.js')],
    ['app.css', textOf('.css')],
    ['icon.svg', readFileSync(`${folder}icon.svg`, 'utf8').trim()],
  ].map(([name, text]) => [name, hashedName(name, text), text])
  const index = files.reduce(
    (html, [name, hashed]) => html.replaceAll(`./${name}`, `./${hashed}`),
    readFileSync(`${folder}index.html`, 'utf8'),
  )
  const entries = [['index.html', index], ...files.map(([, hashed, text]) => [hashed, text])]
  const lines = entries.map(([name, text]) => `  ${JSON.stringify(name)}:\n    ${JSON.stringify(text)},\n`)
  return `${banner}export const assets: Readonly<Record<string, string>> = {\n${lines.join('')}}\n`
}
