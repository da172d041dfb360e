// Where this project lives: `repository` in the package.json of the root, and nowhere else. The packages repeat it in their
// manifests and in links, since a page in a registry cannot follow a relative link. While that is a placeholder, their links are
// relative: those of a checkout work, and none leads to an address that does not exist.
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { folderOf, root } from './workspace.mjs'

const { repository, bugs: { email } = {} } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The address of the project's page. */
export const repositoryUrl = /^git\+(https:\/\/.+)\.git$/.exec(repository.url)[1]

/** Where vulnerabilities can be reported without an account: `bugs.email`, repeated by the packages, so that a registry shows it. */
export const reportsTo = email

/** `.invalid` names never resolve, so a placeholder leads to no stranger's page. */
export const isPlaceholder = (url) => new URL(url).hostname.endsWith('.invalid')

/** The fields of a package's manifest that name the repository. */
const repositoryFields = (name, url, email) => ({
  repository: { type: 'git', url: `git+${url}.git`, directory: folderOf(name) },
  homepage: `${url}/tree/main/${folderOf(name)}#readme`,
  bugs: { url: `${url}/issues`, ...(email && { email }) },
})

/** The address that a package's manifest names at present. */
const namedBy = ({ bugs }) => bugs.url.slice(0, -'/issues'.length)

/** A manifest, as text, that names this repository in place of any other. */
export function withRepository(manifestText, name, url = repositoryUrl, email = reportsTo) {
  return `${JSON.stringify({ ...JSON.parse(manifestText), ...repositoryFields(name, url, email) }, null, 2)}\n`
}

/** A link from a page to another file or folder of the repository. */
export const relativeLink = /\]\((?!https?:|#)([^)#]+)(#[^)]+)?\)/g

/** A page of a package whose links into the repository, relative or of that manifest, lead to this one. */
export function withLinks(pageText, manifestText, name, url = repositoryUrl) {
  if (isPlaceholder(url)) return pageText
  return pageText
    .replaceAll(relativeLink, (_, link, anchor = '') => {
      const path = posix.join(folderOf(name), link)
      const kind = posix.basename(path).includes('.') || path === 'LICENSE' ? 'blob' : 'tree'
      return `](${url}/${kind}/main/${path}${anchor})`
    })
    .replaceAll(`${namedBy(JSON.parse(manifestText))}/`, `${url}/`)
}
