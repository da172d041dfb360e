// Where this project lives: `repository` in the package.json of the root, and nowhere else. The packages repeat it in their
// manifests and in links, since a page in a registry cannot follow a relative link.
import { readFileSync } from 'node:fs'
import { root } from './workspace.mjs'

const { repository, bugs: { email } = {} } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

/** The address of the project's page. */
export const repositoryUrl = /^git\+(https:\/\/.+)\.git$/.exec(repository.url)[1]

/** Where vulnerabilities can be reported without an account: `bugs.email`, repeated by the packages, so that a registry shows it. */
export const reportsTo = email

/** `.invalid` names never resolve, so a placeholder leads to no stranger's page. */
export const isPlaceholder = (url) => new URL(url).hostname.endsWith('.invalid')

/** The fields of a package's manifest that name the repository. */
const repositoryFields = (name, url, email) => ({
  repository: { type: 'git', url: `git+${url}.git`, directory: `packages/${name}` },
  homepage: `${url}/tree/main/packages/${name}#readme`,
  bugs: { url: `${url}/issues`, ...(email && { email }) },
})

/** The address that a package's manifest names at present. */
const namedBy = ({ bugs }) => bugs.url.slice(0, -'/issues'.length)

/** A manifest, as text, that names this repository in place of any other. */
export function withRepository(manifestText, name, url = repositoryUrl, email = reportsTo) {
  return `${JSON.stringify({ ...JSON.parse(manifestText), ...repositoryFields(name, url, email) }, null, 2)}\n`
}

/** A page whose links into the repository of that manifest lead to this one. */
export function withLinks(pageText, manifestText, url = repositoryUrl) {
  return pageText.replaceAll(`${namedBy(JSON.parse(manifestText))}/`, `${url}/`)
}
