import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as core from '../src/index.js'

const run = promisify(execFile)

const kinds = Object.keys(core).filter((name) => /^(?!Redis)[A-Z].*Error$/.test(name))
/** A package may import itself by name from anywhere inside its own folder. */
const inPackage = { cwd: `${__dirname}/..` }

/** Prints of one error of each class its name, and the first line of its stack and of what console.log shows. */
const program = `
  import { inspect } from 'node:util'
  import * as core from '@holdfast/core'
  const details = { reason: 'expired', holder: 'c2:1', position: 1, waitedMs: 5, wanted: 1, acknowledged: 0 }
  const seen = ${JSON.stringify(kinds)}.map((kind) => {
    const error = new core[kind]('x', details)
    return [error.name, error.toJSON().name, error.stack.split('\\n')[0], inspect(error).split('\\n')[0]]
  })
  console.log(JSON.stringify(seen))
`

it('errors keep their names in a minified bundle', async () => {
  const minify = `${__dirname}/workers/minify.mjs`
  const { stdout: code } = await run(process.execPath, [minify, program], {
    ...inPackage,
    maxBuffer: 2 ** 24,
  })
  expect(code).not.toContain('class LockTimeoutError')
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', code], inPackage)
  expect(JSON.parse(stdout)).toEqual(kinds.map((kind) => [kind, kind, `${kind}: x`, `${kind}: x`]))
})
