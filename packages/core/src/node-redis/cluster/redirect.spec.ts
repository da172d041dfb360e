import { ReplyError } from '../link/errors.js'
import { redirectOf } from './redirect.js'

const from = { host: '10.0.0.9', port: 7000 }
const redirect = (text: string) => redirectOf(new ReplyError(text, 'EVALSHA'), from)

it('redirects name a node, which may have the host of the one that replied', () => {
  expect(redirect('MOVED 3999 10.0.0.1:7001')).toEqual({
    kind: 'MOVED',
    to: { host: '10.0.0.1', port: 7001 },
  })
  expect(redirect('ASK 3999 fe80::1:7001')).toEqual({ kind: 'ASK', to: { host: 'fe80::1', port: 7001 } })
  expect(redirect('MOVED 3999 :7001')).toEqual({ kind: 'MOVED', to: { host: '10.0.0.9', port: 7001 } })
  expect(redirect('MOVED 3999 ?:7001')).toEqual({ kind: 'MOVED', to: { host: '10.0.0.9', port: 7001 } })
})

it('other errors do not, and neither does one that is not the server’s', () => {
  expect(redirect('ERR unknown command')).toBeUndefined()
  expect(redirectOf(new Error('MOVED 3999 10.0.0.1:7001'), from)).toBeUndefined()
})
