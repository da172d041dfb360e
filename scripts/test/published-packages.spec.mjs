import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import GithubSlugger from 'github-slugger'
import { relativeLink, repositoryUrl, withLinks, withRepository } from '../lib/repository.mjs'
import { folderOf, packagePages, publishedPackages, root } from '../lib/workspace.mjs'

const read = (file) => readFileSync(`${root}${file}`, 'utf8')
const manifestOf = (name) => read(`${folderOf(name)}/package.json`)
const pages = publishedPackages.flatMap((name) => packagePages.map((page) => `${folderOf(name)}/${page}`))

it.each(publishedPackages)('the manifest of %s names the repository of the root', (name) =>
  expect(manifestOf(name)).toBe(withRepository(manifestOf(name), name)),
)

it('a new repository reaches manifests and links', () => {
  const moved = 'https://example.org/locks'
  const manifest = withRepository(manifestOf('core'), 'core', moved, 'security@example.org')
  expect(manifest).not.toContain(repositoryUrl)
  expect(JSON.parse(manifest)).toMatchObject({
    repository: { url: `git+${moved}.git`, directory: 'packages/core' },
    bugs: { url: `${moved}/issues`, email: 'security@example.org' },
  })
  const page = withLinks(read('packages/core/README.md'), manifestOf('core'), 'core', moved)
  expect(page).toContain(`](${moved}/blob/main/docs/reference/options.md)`)
  expect(page).toContain(`](${moved}/tree/main/packages/stores)`)
  expect(page).not.toMatch(relativeLink)
  const later = withLinks(page, manifest, 'core', `${moved}-2`)
  expect(later).toContain(`](${moved}-2/blob/main/docs/reference/options.md)`)
})

/** The anchors of a page's headings. */
function anchorsIn(page) {
  const slugger = new GithubSlugger()
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => slugger.slug(heading))
}

it.each(pages)('%s links to files and headings of the repository', (page) => {
  const links = [...read(page).matchAll(relativeLink)]
  expect(links.length).toBeGreaterThan(0)
  const broken = links.filter(([, link, anchor]) => {
    const path = posix.join(posix.dirname(page), link)
    return !existsSync(`${root}${path}`) || (anchor && !anchorsIn(path).includes(anchor.slice(1)))
  })
  expect(broken.map(([link]) => link)).toEqual([])
  expect(read(page)).not.toContain(repositoryUrl)
})
