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
 * @param hasSource - whether a compiled module, such as `engine/index`, still has a source
 */
export function tarballProblems(files, hasSource) {
  return [
    ...required.filter((file) => !files.has(file)).map((file) => `${file} is missing`),
    ...outputProblems([...files.keys()], hasSource),
    ...manifestProblems(files.get('package.json') ?? '{}'),
    ...[...files].flatMap(([file, text]) => textProblems(file, text)),
    ...packagePages.flatMap((page) =>
      linkProblems(page, files.get(page) ?? '', files.get('package.json') ?? '{}'),
    ),
  ]
}

/** A removed source leaves its old output in dist, where it would be published. */
function outputProblems(files, hasSource) {
  const compiled = files.map((file) => /^dist\/(?:esm|cjs)\/(.+)\.js$/.exec(file)?.[1]).filter(Boolean)
  if (compiled.length === 0) return ['no compiled files: build first']
  const stale = compiled.filter((module) => !hasSource(module))
  return stale.map((module) => `no source for ${module}: run \`pnpm clean\` and build again`)
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
  if (file.endsWith('.map')) return [`${file} is a source map: run \`pnpm clean\` and build again`]
  if (text.includes('sourceMappingURL=')) return [`${file} names a source map, and none is shipped`]
  return []
}

/** A registry shows a page without the files around it. Until the manifest names the repository, there is nothing to link to. */
function linkProblems(page, text, manifest) {
  const { bugs } = JSON.parse(manifest)
  if (!bugs || isPlaceholder(bugs.url)) return []
  return [...text.matchAll(relativeLink)].map(([, link]) => `${page} has a relative link: ${link}`)
}
