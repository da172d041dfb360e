import { killConnections, NoServerError, openMysql, startMysql } from '../src/index.js'

const given = process.env['MYSQL_URL']

function setUrl(url: string | undefined): void {
  if (url === undefined) Reflect.deleteProperty(process.env, 'MYSQL_URL')
  else process.env['MYSQL_URL'] = url
}

afterEach(() => setUrl(given))

it('starts a server that can be killed, frozen and restarted, and is used as others are when MYSQL_URL names it', async () => {
  await using server = await startMysql({ settings: { general_log: 'on' } })
  await server.query('create table kept (n int) engine=InnoDB')
  await server.query('insert into kept values (?)', [7])
  await server.restart({ crash: true })
  expect(await server.query('select n from kept')).toEqual([{ n: 7 }])
  expect(await server.statements()).toContain('insert into kept values (7)')
  await server.freeze()
  await expect(server.query('select 1')).rejects.toThrow(/ETIMEDOUT/)
  server.thaw()

  const sleeping = server.query('select sleep(60)')
  const ended = expect(sleeping).rejects.toThrow()
  let killed = 0
  while (killed === 0) killed = await killConnections(server)
  await ended

  setUrl(server.url)
  const [one, other] = [await openMysql([]), await openMysql([])]
  const databases = () => server.query("show databases like 'holdfast%'")
  expect(await databases()).toHaveLength(2)
  await Promise.all([one.stop(), other.stop()])
  expect(await databases()).toEqual([])
})

it('passes over what does not start, and says at the end how to get one', async () => {
  setUrl(undefined)
  const failing = (): Promise<never> => Promise.reject(new Error('it does not start'))
  const opened = { url: 'mysql://127.0.0.1:1/app', origin: 'a test', stop: () => Promise.resolve() }
  expect(await openMysql([failing, () => Promise.resolve(opened)])).toBe(opened)
  await expect(openMysql([failing])).rejects.toThrow(NoServerError)
  await expect(openMysql([failing])).rejects.toThrow(/sudo apt-get install mariadb-server/)
})
