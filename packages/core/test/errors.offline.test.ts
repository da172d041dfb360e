import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import * as core from '../src/index.js'

const run = promisify(execFile)

/**
 * Loads both builds in one process. Each has classes of its own, as in a program whose dependencies import one
 * build and require the other.
 */
const program = `
  import { createRequire } from 'node:module'
  import * as esm from '@holdfast/core'
  const cjs = createRequire(import.meta.url)('@holdfast/core')
  const details = { lockName: 'a', owner: 'c1:1', cause: new Error('why'), reason: 'expired', holder: 'c2:1', position: 1, waitedMs: 5 }
  // The older names of two of them are the same classes.
  const kinds = Object.keys(esm).filter((name) => name.endsWith('Error') && esm[name].code && esm[name].name === name)
  const answers = kinds.map((kind) => {
    const [fromEsm, fromCjs] = [new esm[kind]('x', details), new cjs[kind]('x', details)]
    return {
      kind,
      copies: esm[kind] === cjs[kind] ? 1 : 2,
      code: fromCjs.code === fromEsm.code && fromEsm.code,
      cause: fromCjs.cause.message,
      seenByEsm: kinds.filter((other) => fromCjs instanceof esm[other]),
      seenByCjs: kinds.filter((other) => fromEsm instanceof cjs[other]),
    }
  })
  console.log(JSON.stringify(answers))
`

interface Answer {
  readonly kind: string
  readonly copies: number
  readonly code: string
  readonly cause: string
  readonly seenByEsm: readonly string[]
  readonly seenByCjs: readonly string[]
}

function assertAnswers(value: unknown): asserts value is Answer[] {
  expect(value).toEqual(expect.any(Array))
}

it('an error of the CommonJS build is recognised by the ES module build and the other way round', async () => {
  // A package may import itself by name from anywhere inside its own folder.
  const inPackage = { cwd: `${__dirname}/..` }
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], inPackage)
  const answers: unknown = JSON.parse(stdout)
  assertAnswers(answers)
  expect(answers).toHaveLength(13)
  for (const { kind, copies, code, cause, seenByEsm, seenByCjs } of answers) {
    const kin = kind === 'HoldfastError' ? [kind] : [kind, 'HoldfastError']
    expect({ kind, copies, cause }).toEqual({ kind, copies: 2, cause: 'why' })
    expect(code).toMatch(/^[A-Z_]+$/)
    expect([...seenByEsm].sort()).toEqual(kin.sort())
    expect([...seenByCjs].sort()).toEqual(kin.sort())
  }
  expect(new Set(answers.map(({ code }) => code)).size).toBe(answers.length)
})

it('each class has one name', () => {
  const classes = Object.values(core).filter((exported) => typeof exported === 'function')
  expect(new Set(classes).size).toBe(classes.length)
})
