import { mode, Requests } from './requests.js'

const requests = new Requests([{ permissions: 'rwcda', scheme: 'world', id: 'anyone' }])

it('what only reads, or any server carries out alone, proves no session', () => {
  const reading = [
    requests.getData('/a', false),
    requests.getChildren('/a', true),
    requests.sync('/a'),
    requests.close(),
  ]
  expect(reading.map(({ isWrite }) => isWrite)).toEqual([false, false, false, false])
})

it('what a majority carries out proves it', () => {
  const writing = [
    requests.create('/a', '', mode.ephemeral),
    requests.createContainer('/a'),
    requests.setData('/a', ''),
    requests.remove('/a'),
    requests.multi([{ kind: 'check', path: '/a' }]),
  ]
  expect(writing.map(({ isWrite }) => isWrite)).toEqual([true, true, true, true, true])
})
