import assert from 'node:assert/strict'
import { Inject, Injectable, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { Test } from '@nestjs/testing'
import { Holdfast, HoldfastQuorum, InvalidArgumentError, type Lock } from '@holdfast/core'
import { memory } from '@holdfast/stores/memory'
import {
  getHoldfastToken,
  getLockToken,
  HoldfastHealthIndicator,
  HoldfastModule,
  InjectHoldfast,
  InjectLock,
  WithLock,
  type HoldfastModuleOptions,
} from '@holdfast/nestjs'
import { holdfastIn, moduleOf, silent, withContext } from './boot.js'
import { scenario } from './scenario.js'

@Injectable()
class Decorated {
  @WithLock('any')
  async work(): Promise<string> {
    return Promise.resolve('worked')
  }
}

@Injectable()
class Injected {
  @InjectLock('nightly', 'other') readonly nightly!: Lock

  constructor(
    @InjectHoldfast() readonly holdfast: Holdfast,
    @InjectHoldfast('other') readonly other: Holdfast,
    @InjectLock('hourly') readonly hourly: Lock,
  ) {}
}

const bootOf = (...metadata: Parameters<typeof moduleOf>) =>
  NestFactory.createApplicationContext(moduleOf(...metadata), silent)

scenario(
  'boot fails without the module, without its client, and without a lock that is not listed',
  async () => {
    await assert.rejects(bootOf({ providers: [Decorated] }), /the client "default" of HoldfastModule/)
    const named = holdfastIn(memory(), { name: 'other' })
    await assert.rejects(bootOf({ imports: [named], providers: [Decorated] }), /the client "default"/)
    const imports = [holdfastIn(), holdfastIn(memory(), { name: 'other', locks: ['nightly'] })]
    await assert.rejects(
      bootOf({ imports, providers: [Injected] }),
      /the lock "hourly" of the client "default" of HoldfastModule/,
    )
  },
)

scenario('clients and locks are injected by their names', () =>
  withContext(
    {
      imports: [
        holdfastIn(memory(), { locks: ['hourly'] }),
        holdfastIn(memory(), { name: 'other', locks: ['nightly'] }),
      ],
      providers: [Injected],
    },
    async (app) => {
      const { holdfast, other, hourly, nightly } = app.get(Injected)
      assert.notEqual(holdfast, other)
      assert.equal(app.get(getLockToken('hourly')), hourly)
      await hourly.withLock(() => assert.equal(holdfast.stats().holds, 1))
      await nightly.withLock(() => assert.deepEqual([holdfast.stats().holds, other.stats().holds], [0, 1]))
    },
  ),
)

scenario('options can come from a factory with injected arguments', async () => {
  class Config {
    readonly label = 'configured'
  }
  class ConfigModule {}
  Module({ providers: [Config], exports: [Config] })(ConfigModule)
  const module = HoldfastModule.forRootAsync({
    imports: [ConfigModule],
    inject: [Config],
    locks: ['nightly'],
    useFactory: async ({ label }: Config) => Promise.resolve({ engine: memory(), label, drainMs: 10 }),
  })
  await withContext({ imports: [module], providers: [Decorated] }, async (app) => {
    const lock = app.get<Lock>(getLockToken('nightly'))
    await lock.withLock(async () => assert.equal((await lock.inspect()).holder?.client?.label, 'configured'))
    assert.equal(await app.get(Decorated).work(), 'worked')
  })
})

scenario('forRoot twice under one name fails at boot, also as forRootAsync and in two modules', async () => {
  const one = (): ReturnType<typeof holdfastIn> => holdfastIn()
  const another = HoldfastModule.forRootAsync({ isGlobal: false, useFactory: () => ({ engine: memory() }) })
  class Feature {}
  Module({ imports: [another] })(Feature)
  for (const imports of [
    [one(), one()],
    [one(), Feature],
  ])
    await assert.rejects(bootOf({ imports }), (error: Error) => {
      assert.match(error.message, /imported 2 times with a client named "default".*call forRoot once/)
      return error instanceof InvalidArgumentError
    })
})

scenario(
  'one dynamic module may be imported twice, and the same module run in two applications',
  async () => {
    const once = holdfastIn()
    class Feature {}
    Module({ imports: [once] })(Feature)
    const app = moduleOf({ imports: [once, Feature], providers: [Decorated] })
    const [first, second] = await Promise.all([
      NestFactory.createApplicationContext(app, silent),
      NestFactory.createApplicationContext(app, silent),
    ])
    assert.notEqual(first.get(getHoldfastToken()), second.get(getHoldfastToken()))
    await first.close()
    assert.equal(await second.get(Decorated).work(), 'worked')
    await second.close()
    await assert.rejects(second.get(Decorated).work(), { code: 'CLOSED' })
  },
)

scenario('without isGlobal only importing modules see the client', async () => {
  const local = holdfastIn(memory(), { isGlobal: false })
  class Feature {}
  Module({ providers: [Decorated] })(Feature)
  await assert.rejects(bootOf({ imports: [local, Feature] }), /the client "default"/)
  await withContext({ imports: [local], providers: [Decorated] }, async (app) =>
    assert.equal(await app.get(Decorated).work(), 'worked'),
  )
})

scenario('a client of the application is used and never closed', async () => {
  await using holdfast = new Holdfast({ engine: memory() })
  await withContext(
    { imports: [HoldfastModule.forRoot({ holdfast })], providers: [Decorated] },
    async (app) => {
      assert.equal(await app.get(Decorated).work(), 'worked')
      assert.equal(holdfast.stats().acquired, 1)
    },
  )
  await holdfast.getLock('after').withLock(() => undefined)
})

scenario('a quorum of stores can be the client', async () => {
  await using holdfast = new HoldfastQuorum({
    masters: [memory(), memory(), memory()].map((engine) => ({ engine })),
  })
  await withContext(
    { imports: [HoldfastModule.forRoot({ holdfast })], providers: [Decorated] },
    async (app) => {
      assert.equal(await app.get(Decorated).work(), 'worked')
      assert.deepEqual(await app.get(HoldfastHealthIndicator).pingCheck('quorum'), {
        quorum: { status: 'up' },
      })
    },
  )
})

scenario('a test overrides the client: the module makes none, and does not close that one', async () => {
  await using mine = new Holdfast({ engine: memory() })
  // The module would refuse these options.
  const module = HoldfastModule.forRoot({ redis: 'no Redis here', drainMs: -1 })
  const testing = await Test.createTestingModule({ imports: [module], providers: [Decorated] })
    .overrideProvider(getHoldfastToken())
    .useValue(mine)
    .compile()
  await testing.init()
  assert.equal(await testing.get(Decorated).work(), 'worked')
  await testing.close()
  assert.equal(mine.stats().acquired, 1)
  await mine.getLock('after').withLock(() => undefined)
})

scenario(
  'what a test has put in place of the client must have locks, or the method does not run',
  async () => {
    for (const fake of [{}, { getLock: 1 }]) {
      const testing = await Test.createTestingModule({ imports: [holdfastIn()], providers: [Decorated] })
        .overrideProvider(getHoldfastToken())
        .useValue(fake)
        .compile()
      await assert.rejects(testing.get(Decorated).work(), /injected no Holdfast client/)
    }
  },
)

scenario('a client connects at first use: boot and shutdown need no server', () =>
  withContext(
    {
      imports: [
        HoldfastModule.forRoot({ redis: 'redis://127.0.0.1:1', commandTimeoutMs: 200, locks: ['a'] }),
      ],
      providers: [Decorated, { provide: 'check', useFactory: () => 'made', inject: [] }],
    },
    (app) => {
      assert.equal(app.get<Holdfast>(getHoldfastToken()).stats().acquired, 0)
      return Promise.resolve()
    },
  ),
)

scenario('bad options of the module are refused at boot', async () => {
  const engine = memory()
  const holdfast = new Holdfast({ engine })
  const cases: [unknown, RegExp][] = [
    [{ engine, drainMs: -1 }, /drainMs of HoldfastModule must be a whole number of milliseconds.*got -1/],
    [{ engine, drainMs: '10' }, /drainMs .*got 10/],
    [{ engine, name: '' }, /name of HoldfastModule must be a string that is not empty/],
    [{ engine, isGlobal: 'yes' }, /isGlobal of HoldfastModule must be true or false/],
    [{ engine, locks: 'nightly' }, /locks of HoldfastModule must be an array of names/],
    [{ engine, locks: ['a'.repeat(2_000)] }, /at most 1024 bytes/],
    [{ engine, waitms: 1 }, /unknown option 'waitms'/],
    [{ holdfast: {} }, /holdfast of HoldfastModule must be a Holdfast client, got an object/],
    [{ holdfast, drainMs: 5 }, /drainMs has no effect on a client that is given as holdfast/],
    [{ holdfast, waitMs: 5 }, /waitMs has no effect/],
    [undefined, /redis/],
  ]
  for (const [options, message] of cases) {
    const boot = async () => {
      const module: unknown = Reflect.apply(HoldfastModule.forRoot, HoldfastModule, [options])
      await bootOf({ imports: [module as ReturnType<typeof HoldfastModule.forRoot>] })
    }
    await assert.rejects(boot(), (error: Error) => {
      assert.match(error.message, message)
      return error instanceof InvalidArgumentError
    })
  }
  await assert.rejects(
    bootOf({
      imports: [
        HoldfastModule.forRootAsync({ useFactory: () => undefined as unknown as HoldfastModuleOptions }),
      ],
    }),
    /the options of HoldfastModule must be an object such as/,
  )
  await holdfast.close()
})

// Keeps `Inject` of a token by hand working beside the decorators of the package.
class ByToken {
  constructor(@Inject(getHoldfastToken()) readonly holdfast: Holdfast) {}
}

scenario('the token injects the client', () =>
  withContext({ imports: [holdfastIn()], providers: [ByToken] }, (app) => {
    assert.ok(app.get(ByToken).holdfast instanceof Holdfast)
    return Promise.resolve()
  }),
)
