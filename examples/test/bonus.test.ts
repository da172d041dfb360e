import { startMysql, until } from '@holdfast/testkit'
import { startProgram } from './program.js'

it('a frozen checkout takes the points below zero, unless its write checks a version or its transaction is fenced', async () => {
  await using server = await startMysql()
  await using example = startProgram('bonus', { MYSQL_URL: server.url })
  const { code, stdout, stderr } = await example.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const outcomes = stdout.split('\n\n').map((part) => ({
    a: /A thaws: (.*)/.exec(part)?.[1],
    b: /B: (.*)/.exec(part)?.[1],
    points: /The account has (-?\d+) points/.exec(part)?.[1],
  }))
  const [, unchecked, versioned, fenced] = outcomes
  expect(unchecked).toEqual({ a: 'paid', b: 'paid', points: '-60' })
  expect(versioned).toEqual({ a: 'refused, Error: 20 points are left', b: 'paid', points: '20' })
  expect(fenced).toMatchObject({
    a: expect.stringMatching(/^refused, LockLostError/) as string,
    b: 'paid',
    points: '20',
  })
  expect(await server.query("show databases like 'holdfast%'")).toEqual([])
  await until(async () => (await example.processes()).length === 0, { what: 'the group to be empty' })
})
