// What must be true of the tarball of a package before anyone installs it.
import { isPlaceholder, relativeLink } from './repository.mjs'
import { packagePages } from './workspace.mjs'

const required = ['package.json', 'LICENSE', ...packagePages]
const requiredFields = [
  'description',
  'keywords',
  'license',
  'repository',
  'homepage',
  'bugs',
  'engines',
  'exports',
]

/**
 * What is wrong with a tarball, as sentences; none if nothing is.
 *
 * @param files - the text of each file, by its path in the package
 */
export function tarballProblems(files) {
  return [
    ...required.filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...([...files.keys()].some((file) => file.startsWith('dist/')) ? [] : ['no compiled files: build first']),
    ...manifestProblems(files.get('package.json') ?? '{}'),
    ...[...files].flatMap(([file, text]) => textProblems(file, text)),
    ...packagePages.flatMap((page) =>
      linkProblems(page, files.get(page) ?? '', files.get('package.json') ?? '{}'),
    ),
  ]
}

function manifestProblems(manifest) {
  const fields = JSON.parse(manifest)
  return [
    ...requiredFields
      .filter((name) => fields[name] === undefined)
      .map((name) => `package.json has no ${name}`),
    ...(manifest.includes('workspace:') ? ['package.json depends on a workspace: version'] : []),
  ]
}

function textProblems(file, text) {
  if (file.endsWith('.map'))
    return [`${file} is a source map: run \`node scripts/clean.mjs\` and build again`]
  if (text.includes('sourceMappingURL=')) return [`${file} names a source map, and none is shipped`]
  return []
}

/** A registry shows a page without the files around it. Until the manifest names the repository, there is nothing to link to. */
function linkProblems(page, text, manifest) {
  const { bugs } = JSON.parse(manifest)
  if (!bugs || isPlaceholder(bugs.url)) return []
  return [...text.matchAll(relativeLink)].map(([, link]) => `${page} has a relative link: ${link}`)
}
