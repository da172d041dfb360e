// What stands between this checkout and a release.
import { isPlaceholder } from './repository.mjs'

/**
 * What is not ready, as sentences; none if everything is.
 *
 * @param reportsTo - the e-mail address for reports of vulnerabilities, if there is one yet
 * @param unpublished - the pages that say that nothing is published yet, until that is deleted for the first release
 * @param versions - the version of each published package, by name
 * @param tag - the tag to release from, if there is one yet
 */
export function releaseProblems({ repositoryUrl, reportsTo, unpublished, versions, changelog, tag }) {
  const [version, ...others] = new Set(Object.values(versions))
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}, \\d{4}-\\d\\d-\\d\\d$`, 'm')
  return [
    ...(isPlaceholder(repositoryUrl)
      ? [
          `${repositoryUrl} is a placeholder: name the repository in package.json, then run \`pnpm repository\``,
        ]
      : []),
    ...(isAddress(reportsTo)
      ? []
      : [
          'there is no e-mail address for reports of vulnerabilities, which SECURITY.md promises: name it in package.json, as `"bugs": { "email": … }`, then run `node scripts/repository.mjs`',
        ]),
    ...unpublished.map((page) => `${page} says that Holdfast is not on npm yet: delete that`),
    ...(others.length > 0 ? [`the packages differ in their versions: ${JSON.stringify(versions)}`] : []),
    ...(heading.test(changelog) ? [] : [`CHANGELOG.md has no heading "## ${version}, <yyyy-mm-dd>"`]),
    ...(tag === undefined || tag === `v${version}` ? [] : [`the tag is ${tag}, the version ${version}`]),
  ]
}

const isAddress = (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text ?? '') && !text.endsWith('.invalid')
