import { Cli } from './support/cli.js'

describe('holdfast dashboard', () => {
  it('prints an address with a token, serves the page only with it, and ends on SIGTERM', async () => {
    const cli = new Cli(['dashboard'])
    const [url] = await cli.untilStdout(/http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{16,}/)
    const page = await fetch(url, { redirect: 'manual' })
    // The token moves from the address into a cookie.
    expect([page.status, page.headers.get('set-cookie')]).toEqual([
      expect.any(Number),
      expect.stringContaining('HttpOnly'),
    ])
    const refused = await fetch(url.replace(/token=.*/, 'token=0123456789abcdef'), { redirect: 'manual' })
    expect(refused.status).toBeGreaterThanOrEqual(400)
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
