import { linkOptions } from './link-options.js'

const signal = new AbortController().signal

it('a connection keeps how its client reaches the server, and nothing by which commands would be sent, queued or read differently', () => {
  const given = {
    url: 'redis://there:1/3',
    database: 3,
    socket: { host: 'there', port: 1, tls: true, ca: 'ca', socketTimeout: 5, reconnectStrategy: () => 1 },
    commandOptions: { timeout: 5, typeMapping: { 36: Buffer } },
    maintNotifications: 'auto',
    clientSideCache: {},
    pingInterval: 1,
    readonly: true,
  }
  const before = structuredClone({
    ...given,
    socket: { ...given.socket, reconnectStrategy: 0 },
    commandOptions: 0,
  })
  const options = linkOptions(given, { host: 'node', port: 2 }, 1_000, signal, true)
  expect({ ...given, ...options }).toMatchObject({
    url: undefined,
    socket: {
      host: 'node',
      port: 2,
      tls: true,
      ca: 'ca',
      connectTimeout: 1_000,
      socketTimeout: undefined,
      reconnectStrategy: false,
      signal,
    },
    RESP: 2,
    database: undefined,
    commandOptions: { timeout: undefined },
    disableOfflineQueue: true,
    maintNotifications: 'disabled',
    clientSideCache: undefined,
    pingInterval: undefined,
    readonly: false,
  })
  expect(options).toHaveProperty('commandOptions', { timeout: undefined })
  expect({ ...given, socket: { ...given.socket, reconnectStrategy: 0 }, commandOptions: 0 }).toEqual(before)
})
