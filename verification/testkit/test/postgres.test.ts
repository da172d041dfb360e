import {
  mayStartPostgres,
  NoServerError,
  onOwnPostgres,
  openDatabase,
  openPostgres,
  startPostgres,
  type PostgresServer,
} from '../src/index.js'

const named = process.env['PG_URL']

function setUrl(url: string | undefined): void {
  if (url === undefined) Reflect.deleteProperty(process.env, 'PG_URL')
  else process.env['PG_URL'] = url
}

afterEach(() => setUrl(named))

const none = () => Promise.resolve(null)

describe('a server at PG_URL', () => {
  const it = onOwnPostgres(globalThis.it)
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres()
  })

  afterAll(() => server.stop())

  it('is used, and left running', async () => {
    setUrl(server.url)
    const opened = await openPostgres([])
    expect(opened).toMatchObject({ url: server.url, origin: 'PG_URL' })
    await opened.stop()
    expect(await server.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('gives each test file a database of its own, which goes with it', async () => {
    setUrl(server.url)
    const databases = () => server.query("select datname from pg_database where datname like 'holdfast%'")
    const [one, other] = [await openDatabase(), await openDatabase()]
    await one.query('create table only_here ()')
    expect(await other.query("select to_regclass('only_here') as found")).toEqual([{ found: null }])
    expect(await databases()).toHaveLength(2)
    await Promise.all([one.stop(), other.stop()])
    expect(await databases()).toEqual([])
  })
})

it('a PG_URL without a server is not replaced by another source', async () => {
  setUrl('postgres://127.0.0.1:1/none')
  const other = { url: '', origin: 'another', stop: () => Promise.resolve() }
  await expect(openPostgres([() => Promise.resolve(other)])).rejects.toThrow('ECONNREFUSED')
})

it('a source that does not start is skipped, and the error keeps the reason and says how to get a server', async () => {
  setUrl(undefined)
  const failure = openPostgres([none, () => Promise.reject(new Error('it is broken'))])
  await expect(failure).rejects.toThrow(NoServerError)
  await expect(failure).rejects.toThrow(/PG_URL[^]*brew install postgresql[^]*apt-get install/)
  await expect(failure).rejects.toMatchObject({ cause: { errors: [{ message: 'it is broken' }] } })
})

describe('tests that need servers of their own', () => {
  it('run where there are programs, and where nothing says that another server will do', () => {
    setUrl('postgres://127.0.0.1/app')
    expect(mayStartPostgres('/usr/bin')).toBe(true)
    expect(mayStartPostgres(null)).toBe(false)
    setUrl(undefined)
    expect(mayStartPostgres(null)).toBe(true)
  })

  it('are skipped with a reason elsewhere', () => {
    const skipped: string[] = []
    const define = Object.assign(() => undefined, { skip: (title: string) => void skipped.push(title) })
    expect(onOwnPostgres(define, true)).toBe(define)
    expect(skipped).toEqual([])
    expect(onOwnPostgres(define, false)).toBe(define.skip)
    expect(skipped).toEqual([expect.stringContaining('PG_URL names one that others may use')])
  })
})
