import { queryOf, viewOf, type View } from './views.js'

const views: readonly View[] = [
  { page: 'overview' },
  { page: 'locks' },
  { page: 'lock', object: 'read-write-lock', name: 'a&b=c? ü' },
  { page: 'clients', order: 'lost', filter: 'web 1', sheet: 3 },
  { page: 'client', clientId: 'abc' },
]

it.each(views)('a query says the same as its view: %j', (view) =>
  expect(viewOf(new URLSearchParams(String(queryOf(view))))).toEqual(view),
)

it.each([
  '',
  'page=nowhere',
  'page=lock&object=lock',
  'page=lock&object=door&name=x',
  'page=clients&sheet=-1',
])('a query that makes no sense is refused: %s', (query) =>
  expect(viewOf(new URLSearchParams(query))).toBeNull(),
)
