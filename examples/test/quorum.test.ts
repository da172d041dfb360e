import { startProgram, type Program } from './program.js'

let program: Program | undefined

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

it('the lock of a quorum survives the loss of two masters of five, and no more', async () => {
  program = startProgram('quorum', {})
  const { code, stdout, stderr } = await program.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('Alice still holds it: true')
  expect(stdout).toContain('Bob gets null')
  expect(stdout).toContain('Bob holds it: true')
  const tokens = [...stdout.matchAll(/token (\d+)/g)].map(([, token]) => Number(token))
  expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
  expect(stdout).toMatch(/a third master was killed: Bob gets UnavailableError/)
})
