import 'reflect-metadata'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { startRedis, uniqueName, type RedisServer } from '@holdfast/testkit'
import { Logger, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import express from 'express'
import Fastify from 'fastify'
import { Hono } from 'hono'
import Koa from 'koa'
import type { Holdfast } from '@holdfast/core'
import { createDashboard, type AuditEntry, type Dashboard } from '../src/index.js'
import { mountLocks as mountOnExpress } from './mounts/express.js'
import { mountLocks as mountOnFastify } from './mounts/fastify.js'
import { mountLocks as mountOnHono } from './mounts/hono.js'
import { serveLocks } from './mounts/http.js'
import { mountLocks as mountOnKoa } from './mounts/koa.js'
import { mountLocks as mountOnNest } from './mounts/nest.js'
import { Clients } from './support/clients.js'
import { listen, type Listening } from './support/listening.js'
import { untilQuiet } from './support/until-quiet.js'
import { updatesOf, updateWith } from './support/updates.js'

type Serve = (dashboard: Dashboard) => Promise<{ server: Server; close?: () => Promise<unknown> }>

/** A module without anything. */
class Nothing {
  readonly name = 'nothing'
}
Module({})(Nothing)

const frameworks: readonly (readonly [string, Serve])[] = [
  ['plain http', (dashboard) => Promise.resolve({ server: serveLocks(dashboard) })],
  [
    'Express, behind its body parser',
    (dashboard) => {
      const app = express()
      app.use(express.json())
      mountOnExpress(app, dashboard)
      return Promise.resolve({ server: app.listen(0, '127.0.0.1') })
    },
  ],
  [
    'Fastify',
    async (dashboard) => {
      const app = Fastify({ forceCloseConnections: true })
      mountOnFastify(app, dashboard)
      await app.listen({ port: 0, host: '127.0.0.1' })
      return { server: app.server, close: () => app.close() }
    },
  ],
  [
    'Koa',
    (dashboard) => {
      const app = new Koa()
      mountOnKoa(app, dashboard)
      return Promise.resolve({ server: app.listen(0, '127.0.0.1') })
    },
  ],
  [
    'Hono',
    async (dashboard) => {
      const app = new Hono()
      mountOnHono(app, dashboard)
      const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server
      await once(server, 'listening')
      return { server }
    },
  ],
  [
    'NestJS',
    async (dashboard) => {
      Logger.overrideLogger(false)
      const app = await NestFactory.create(Nothing)
      mountOnNest(app, dashboard)
      await app.listen(0, '127.0.0.1')
      return { server: app.getHttpServer() as Server, close: () => app.close() }
    },
  ],
]

let redis: RedisServer
const clients = new Clients()

beforeAll(async () => {
  redis = await startRedis()
})

afterAll(async () => {
  await clients.closeAll()
  await redis.stop()
})

describe.each(frameworks)('on %s', (_, serveOn) => {
  let holdfast: Holdfast
  let dashboard: Dashboard
  let listening: Listening
  let closeFramework: (() => Promise<unknown>) | undefined
  let base: string
  const audited: AuditEntry[] = []

  beforeAll(async () => {
    holdfast = clients.open(redis.url)
    dashboard = createDashboard({
      holdfast,
      readOnly: false,
      authorize: () => 'ann@example.org',
      audit: (entry) => void audited.push(entry),
      everyMs: 250,
    })
    const { server, close } = await serveOn(dashboard)
    closeFramework = close
    listening = await listen(server)
    base = `${listening.origin}/ops/locks/`
  })

  afterAll(async () => {
    dashboard.close()
    await (closeFramework ?? listening.close)()
  })

  it('the page and its files are there, below any path', async () => {
    const index = await (await fetch(base)).text()
    const files = [...index.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, file = '']) => file)
    expect(files).toHaveLength(3)
    for (const file of files) {
      const response = await fetch(base + file)
      expect(response.status).toBe(200)
      expect((await response.text()).length).toBeGreaterThan(100)
    }
  })

  it('an address without its last slash leads to the one with it', async () => {
    const response = await fetch(`${listening.origin}/ops/locks`)
    expect(response.url).toBe(base)
    expect(await response.text()).toContain('<div id="app">')
  })

  it('a stream shows what clients hold, as it changes, and ends with its reader', async () => {
    const name = uniqueName('streamed')
    const polls = jest.spyOn(holdfast, 'clientReports')
    const aborting = new AbortController()
    const response = await fetch(`${base}events?page=overview`, { signal: aborting.signal })
    expect(response.headers.get('content-type')).toMatch('text/event-stream')
    const updates = updatesOf(response)
    const before = await updateWith(updates, ({ totals }) => totals !== null)
    const lease = await holdfast.getLock(name).lock()
    await updateWith(updates, ({ totals }) => totals?.held === (before.totals?.held ?? 0) + 1)
    await lease.unlock()
    await updateWith(updates, ({ totals }) => totals?.held === before.totals?.held)
    expect(polls).toHaveBeenCalled()
    aborting.abort()
    await untilQuiet(polls)
  })

  it('a holder is evicted, in the name of the user', async () => {
    const name = uniqueName('evicted')
    const lease = await holdfast.getLock(name).lock()
    const response = await fetch(`${base}evict`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ name, kind: 'lock', owner: lease.owner, typedName: name }),
    })
    expect(await response.json()).toEqual({ outcome: 'evicted' })
    expect(lease.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'revoked', by: 'ann@example.org' })
    expect(audited.at(-1)).toMatchObject({
      name,
      owner: lease.owner,
      by: 'ann@example.org',
      outcome: 'evicted',
    })
  })

  it('HEAD gets the headers alone', async () => {
    const response = await fetch(base, { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})
