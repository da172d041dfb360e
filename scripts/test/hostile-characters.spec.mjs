import { readFileSync } from 'node:fs'
import { root } from '../lib/workspace.mjs'

/** The set of characters that a file gives in place of themselves. */
function hostileIn(file) {
  const source = readFileSync(`${root}${file}`, 'utf8')
  const [, characters] = /^const (?:hostile|invisible) =\n {2}\/(.+)\/gu$/m.exec(source) ?? []
  return characters
}

it('the command line and the dashboard escape the same characters', () => {
  const characters = hostileIn('packages/cli/src/output/escape.ts')
  expect(characters).toContain('Default_Ignorable_Code_Point')
  expect(hostileIn('packages/dashboard/src/shared/visible-name.ts')).toBe(characters)
})
