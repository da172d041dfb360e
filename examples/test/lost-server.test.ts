import { startProgram, type Program } from './program.js'

let program: Program | undefined

afterEach(async () => {
  await program?.[Symbol.asyncDispose]()
  program = undefined
})

it.each(['etcd', 'zookeeper'])(
  'holds and places in the queue survive the loss of the leader of %s',
  async (engine) => {
    program = startProgram('lost-server', {}, ['--engine', engine])
    const { code, stdout, stderr } = await program.ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('Alice still holds the lock: true')
    expect(stdout).toContain('they say so, too: true; and 1 waits, as before')
    const tokens = [...stdout.matchAll(/token (\d+)/g)].map(([, token]) => Number(token))
    expect(tokens).toHaveLength(2)
    expect(tokens).toEqual([...tokens].sort((a, b) => a - b))
  },
)
