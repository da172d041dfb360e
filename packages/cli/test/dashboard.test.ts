import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { sharedRedisUrl } from '@holdfast/testkit'
import { Cli } from './support/cli.js'

describe('holdfast dashboard', () => {
  it('prints an address with a token, answers only with it and for its own names, and ends on SIGTERM', async () => {
    const cli = new Cli(['dashboard', '--allow-host', 'ops.example.com', 'ops.internal'])
    const [, origin = '', token = ''] = await cli.untilStdout(
      /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{16,})/,
    )
    const statusFor = async (given: string, host: string): Promise<number> => {
      const asked = request(`${origin}/list`, {
        headers: { host, authorization: `Bearer ${given}` },
      })
      asked.end()
      const [{ statusCode = 0 }] = (await once(asked, 'response')) as [IncomingMessage]
      asked.destroy()
      return statusCode
    }
    expect(await statusFor(token, 'localhost')).toBe(200)
    expect(await statusFor(token, 'ops.internal')).toBe(200)
    expect(await statusFor('0123456789abcdef', 'localhost')).toBe(401)
    expect(await statusFor(token, 'evil.example')).toBe(421)
    cli.kill('SIGTERM')
    expect(await cli.ended()).toMatchObject({ code: 0 })
  })

  it.each([
    ['cannot be reached', 'redis://127.0.0.1:1', /ECONNREFUSED .*; the page goes on trying\n/],
    [
      'refuses',
      sharedRedisUrl().replace('redis://', 'redis://nobody:wrong@'),
      /WRONGPASS .*; the page is served, and goes on once the store accepts it\n/,
    ],
  ])('says that the store %s, and serves the page all the same', async (_, url, says) => {
    const cli = new Cli(['dashboard'], { url })
    const [, page = ''] = await cli.untilStdout(/(http:\/\/127\.0\.0\.1:\d+)/)
    await cli.untilStderr(says)
    expect((await fetch(page)).status).toBe(200)
    cli.kill('SIGTERM')
    expect(await cli.ended()).toMatchObject({ code: 0 })
  })

  it('refuses a port that is taken, and says so', async () => {
    const cli = new Cli(['dashboard'])
    const [, port = ''] = await cli.untilStdout(/127\.0\.0\.1:(\d+)/)
    const second = await new Cli(['dashboard', '--port', port]).ended()
    expect(second.code).not.toBe(0)
    expect(second.stderr).toContain(port)
    cli.kill('SIGINT')
    await cli.ended()
  })
})
