// Usage: node scripts/repository.mjs
// Writes the repository that the package.json of the root names into the manifests and pages of the published packages.
import { readFileSync, writeFileSync } from 'node:fs'
import { repositoryUrl, withLinks, withRepository } from './lib/repository.mjs'
import { folderOf, packagePages, publishedPackages, root } from './lib/workspace.mjs'

for (const name of publishedPackages) {
  const folder = `${root}${folderOf(name)}/`
  const manifest = readFileSync(`${folder}package.json`, 'utf8')
  for (const page of packagePages) {
    writeFileSync(`${folder}${page}`, withLinks(readFileSync(`${folder}${page}`, 'utf8'), manifest, name))
  }
  writeFileSync(`${folder}package.json`, withRepository(manifest, name))
}
console.log(`The packages now point to ${repositoryUrl}`)
