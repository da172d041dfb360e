import { existsSync, readFileSync } from 'node:fs'
import { join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What is not below `docs/`, and where the site has it. */
const elsewhere = [
  [/^site\/api\/(.+)$/, 'reference/api/$1'],
  [/^packages\/([\w-]+)\/README\.md$/, 'project/packages/$1.md'],
  [/^(verification|examples)\/README\.md$/, 'project/$1.md'],
  [/^verification\/([\w-]+)\/README\.md$/, 'project/$1.md'],
  [/^(CHANGELOG|CONTRIBUTING|SECURITY)\.md$/, (_, name) => `project/${name.toLowerCase()}.md`],
  [/^README\.md$/, 'index.md'],
  [/^docs\/(.+\.md)$/, '$1'],
]

/** Where the site has a file of the repository, as in `concepts/waiting.md`; `undefined` if it has not. */
export function pageOf(file) {
  const [pattern, page] = elsewhere.find(([each]) => each.test(file)) ?? []
  return pattern && file.replace(pattern, page)
}

/** The file of which the site makes a page. */
export function fileOf(page) {
  const [, name] = /^project\/(.+)\.md$/.exec(page) ?? []
  const files = [
    ...(page === 'index.md' ? ['README.md'] : []),
    `docs/${page}`,
    page.replace('reference/', 'site/'),
    `${name?.toUpperCase()}.md`,
    `${name}/README.md`,
  ]
  return files.find((file) => existsSync(join(root, file)))
}

const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const source = `${repository.url.replace(/^git\+|\.git$/g, '')}/blob/main/`

/**
 * Links are written for a reader of the repository. On the site, those to pages lead to the site's, and those to any other file to
 * the repository.
 */
function linkFrom(file, href) {
  if (/^(#|\/|[a-z]+:)/i.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.join(posix.dirname(file), path)
  const hash = anchor ? `#${anchor}` : ''
  const page = pageOf(target)
  if (page) return `/${page}${hash}`
  return existsSync(join(root, target)) ? `${source}${target}${hash}` : href
}

export function pagesOfRepository(md) {
  md.core.ruler.push('links-of-site', ({ tokens, env }) => {
    const file = relative(root, env.realPath ?? env.path)
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'link_open') token.attrSet('href', linkFrom(file, token.attrGet('href')))
  })
  md.core.ruler.push('boxes-to-tick', ({ tokens }) => {
    for (const [first] of tokens.flatMap(({ children }) => (children?.length ? [children] : [])))
      first.content = first.content.replace(/^\[ \] /, '☐ ')
  })
  // A picture scrolls on a phone, by the keyboard, too.
  md.core.ruler.push('pictures', ({ tokens }) => {
    for (const [i, { type, children }] of tokens.entries())
      if (type === 'inline' && children.length === 1 && children[0].type === 'image') {
        tokens[i - 1].attrSet('class', 'picture')
        tokens[i - 1].attrSet('tabindex', '0')
      }
  })
  // Vue would take what is between two pairs of braces for an expression.
  md.core.ruler.push('code-as-written', ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? []))
      if (token.type === 'code_inline') token.attrSet('v-pre', '')
  })
}
