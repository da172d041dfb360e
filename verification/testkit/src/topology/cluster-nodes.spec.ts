import { parseClusterNodes } from './cluster-nodes.js'

it('masters, replicas, failed nodes and slot ranges are distinguished', () => {
  const text = [
    'aa 127.0.0.1:7000@17000,,shard-id=x myself,master - 0 0 1 connected 0-5460 7000 [93-<-bb]',
    'bb 127.0.0.1:7001@17001 master,fail - 1 1 2 disconnected',
    'cc 127.0.0.1:7002@17002 slave aa 0 1 1 connected',
    '',
  ].join('\n')
  expect(parseClusterNodes(text)).toEqual([
    {
      id: 'aa',
      port: 7000,
      role: 'master',
      failed: false,
      masterId: null,
      myself: true,
      slots: [
        { from: 0, to: 5460 },
        { from: 7000, to: 7000 },
      ],
    },
    { id: 'bb', port: 7001, role: 'master', failed: true, masterId: null, myself: false, slots: [] },
    { id: 'cc', port: 7002, role: 'replica', failed: false, masterId: 'aa', myself: false, slots: [] },
  ])
})
