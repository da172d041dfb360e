import 'reflect-metadata'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Inject, Injectable, Scope, SetMetadata } from '@nestjs/common'
import { ContextIdFactory, REQUEST } from '@nestjs/core'
import {
  Holdfast,
  HoldfastError,
  InvalidArgumentError,
  LockLostError,
  LockTimeoutError,
} from '@holdfast/core'
import { memory } from '@holdfast/memory'
import { currentLease, getHoldfastToken, InjectHoldfast, WithLock } from '@holdfast/nestjs'
import { of } from 'rxjs'
import { holdfastIn, withContext } from './boot.js'
import { Busy, Gate } from './busy.js'
import { scenario } from './scenario.js'

@Injectable()
class Orders {
  readonly busy = new Busy()
  runs = 0

  @WithLock((id: string) => `order:${id}`, { waitMs: 5_000 })
  async ship(id: string): Promise<string> {
    const outer = currentLease()
    outer.assertHeld()
    await this.busy.stay()
    const holdCount = await this.note(id)
    assert.equal(currentLease(), outer)
    return `${id} ${holdCount}`
  }

  @WithLock((id: string) => `order:${id}`)
  async note(_id: string): Promise<number> {
    await Promise.resolve()
    return currentLease().holdCount
  }

  @WithLock('any')
  returnsObservable(): Promise<number> {
    this.runs += 1
    return of(1) as unknown as Promise<number>
  }

  @WithLock('any')
  async resolvesWithObservable(): Promise<unknown> {
    return Promise.resolve(of(1))
  }

  @WithLock('any')
  returnsNumber(): Promise<number> {
    return 1 as unknown as Promise<number>
  }

  @WithLock('any')
  async fails(): Promise<void> {
    await Promise.resolve()
    throw new RangeError('mine')
  }
}

scenario('ten calls run one at a time, and a nested decorated call re-enters', () =>
  withContext({ imports: [holdfastIn()], providers: [Orders] }, async (app) => {
    const orders = app.get(Orders)
    const shipped = await Promise.all(Array.from({ length: 10 }, () => orders.ship('7')))
    assert.deepEqual(shipped, Array<string>(10).fill('7 2'))
    orders.busy.assertOneAtATime(10)
  }),
)

scenario('calls with other arguments run at the same time', () =>
  withContext({ imports: [holdfastIn()], providers: [Orders] }, async (app) => {
    const orders = app.get(Orders)
    await Promise.all(['7', '8', '9'].map((id) => orders.ship(id)))
    assert.equal(orders.busy.most, 3)
  }),
)

scenario('an error of the method is the error of the call, and releases the lock', () =>
  withContext({ imports: [holdfastIn()], providers: [Orders] }, async (app) => {
    await assert.rejects(app.get(Orders).fails(), new RangeError('mine'))
    await assert.rejects(app.get(Orders).fails(), new RangeError('mine'))
    assert.equal(app.get<Holdfast>(getHoldfastToken()).stats().holds, 0)
  }),
)

scenario('an instance that Nest did not make throws instead of running unlocked', () =>
  withContext(
    { imports: [holdfastIn()], providers: [{ provide: 'by hand', useValue: new Orders() }] },
    async (app) => {
      const { ship } = app.get<Orders>('by hand')
      for (const call of [
        () => new Orders().ship('7'),
        () => app.get<Orders>('by hand').ship('7'),
        () => ship('7'),
      ])
        await assert.rejects(call(), (error: HoldfastError) => {
          assert.match(error.message, /^Orders\.ship has @WithLock, but .*injected no Holdfast client/)
          return error instanceof HoldfastError
        })
      assert.equal(app.get<Orders>('by hand').busy.total, 0)
    },
  ),
)

class Base {
  readonly busy = new Busy()

  @WithLock('base')
  async work(): Promise<void> {
    currentLease().assertHeld()
    await this.busy.stay()
  }
}

@Injectable()
class Derived extends Base {
  @WithLock('derived', { client: 'other' })
  async more(): Promise<void> {
    currentLease().assertHeld()
    await this.work()
  }

  override async work(): Promise<void> {
    await super.work()
  }
}

@Injectable({ scope: Scope.REQUEST })
class PerRequest {
  constructor(@Inject(REQUEST) readonly tenant: string) {}

  @WithLock(function (this: PerRequest, id: string) {
    return `${this.tenant}:${id}`
  })
  async nameOfLock(_id: string): Promise<string> {
    await Promise.resolve()
    currentLease().assertHeld()
    return currentLease().name
  }
}

scenario('inherited and overridden methods lock, and a class may use several clients', () =>
  withContext(
    { imports: [holdfastIn(), holdfastIn(memory(), { name: 'other' })], providers: [Derived] },
    async (app) => {
      const derived = app.get(Derived)
      await Promise.all(Array.from({ length: 5 }, () => derived.work()))
      derived.busy.assertOneAtATime(5)
      await derived.more()
      const acquired = [undefined, 'other'].map(
        (name) => app.get<Holdfast>(getHoldfastToken(name)).stats().acquired,
      )
      assert.deepEqual(acquired, [6, 1])
    },
  ),
)

scenario('methods of request-scoped providers lock, and the key sees the provider', () =>
  withContext({ imports: [holdfastIn()], providers: [PerRequest] }, async (app) => {
    for (const tenant of ['a', 'b']) {
      const context = ContextIdFactory.create()
      app.registerRequestByContextId(tenant, context)
      const instance = await app.resolve(PerRequest, context)
      assert.equal(await instance.nameOfLock('7'), `${tenant}:7`)
    }
  }),
)

@Injectable()
class Nightly {
  runs = 0

  @WithLock('nightly', { ifBusy: 'skip' })
  async run(gate?: Gate): Promise<string | undefined> {
    this.runs += 1
    await gate?.opened
    return 'ran'
  }

  @WithLock('nightly', { ifBusy: 'skip', atLeastMs: 60_000 })
  async runOnce(): Promise<string | undefined> {
    return Promise.resolve('ran')
  }

  @WithLock('outer', { ifBusy: 'skip' })
  async runInside(): Promise<string | undefined> {
    await this.mustHave()
    return 'ran'
  }

  @WithLock('nightly', { waitMs: 0 })
  async mustHave(): Promise<void> {}

  @WithLock('nightly', { ifBusy: 'skip', waitMs: 5_000 })
  async runSoon(): Promise<string | undefined> {
    return Promise.resolve('ran')
  }
}

scenario('skip resolves with undefined at once, or after waitMs, and does not run the method', () =>
  withContext({ imports: [holdfastIn()], providers: [Nightly] }, async (app) => {
    const nightly = app.get(Nightly)
    const gate = new Gate()
    const first = nightly.run(gate)
    assert.equal(await nightly.run(), undefined)
    const soon = nightly.runSoon()
    gate.open()
    assert.deepEqual([await first, await soon, nightly.runs], ['ran', 'ran', 1])
    assert.equal(await nightly.run(), 'ran')
  }),
)

scenario('a method with atLeastMs keeps its lock for that long after it has returned', () =>
  withContext({ imports: [holdfastIn()], providers: [Nightly] }, async (app) => {
    const nightly = app.get(Nightly)
    assert.deepEqual([await nightly.runOnce(), await nightly.runOnce()], ['ran', undefined])
  }),
)

scenario('skip covers only its own acquisition: a nested timeout is an error', () =>
  withContext({ imports: [holdfastIn()], providers: [Nightly] }, async (app) => {
    const nightly = app.get(Nightly)
    const gate = new Gate()
    const first = nightly.run(gate)
    await assert.rejects(nightly.runInside(), LockTimeoutError)
    gate.open()
    await first
  }),
)

scenario('skip does not hide that the client is closed', () =>
  withContext({ imports: [holdfastIn()], providers: [Nightly] }, async (app) => {
    await app.get<Holdfast>(getHoldfastToken()).close()
    await assert.rejects(app.get(Nightly).run(), { code: 'CLOSED' })
    assert.equal(app.get(Nightly).runs, 0)
  }),
)

scenario('an Observable is refused, returned or resolved with, and so is what is no promise', () =>
  withContext({ imports: [holdfastIn()], providers: [Orders] }, async (app) => {
    const orders = app.get(Orders)
    await assert.rejects(orders.returnsObservable(), /returnsObservable .*returned an Observable.*outlive/)
    await assert.rejects(orders.resolvesWithObservable(), /resolved with an Observable.*outlive/)
    await assert.rejects(orders.returnsNumber(), /returnsNumber .*returned 1, not a promise/)
    assert.equal(app.get<Holdfast>(getHoldfastToken()).stats().holds, 0)
  }),
)

@Injectable()
class Detaching {
  constructor(@InjectHoldfast() private readonly holdfast: Holdfast) {}

  @WithLock('any')
  async work(): Promise<string> {
    const lease = currentLease()
    assert.throws(() => this.holdfast.detached(() => currentLease()), HoldfastError)
    await this.holdfast.getLock('any').forceUnlock()
    if (!lease.signal.aborted) await once(lease.signal, 'abort')
    // Not what the method resolves with: withLock rejects with the loss.
    assert.equal(currentLease(), lease)
    return 'done'
  }
}

scenario('currentLease is the lost lease after a loss, and none in work that is detached', () =>
  withContext({ imports: [holdfastIn()], providers: [Detaching] }, async (app) => {
    const error: unknown = await app
      .get(Detaching)
      .work()
      .catch((reason: unknown) => reason)
    assert.ok(error instanceof LockLostError, String(error))
  }),
)

scenario('currentLease throws outside a decorated method', () => {
  assert.throws(() => currentLease(), HoldfastError)
  return Promise.resolve()
})

scenario(
  'the name, the length and the metadata of a method are kept, whatever the order of decorators',
  () => {
    class Marked {
      @SetMetadata('above', 1)
      @WithLock((id: string) => id)
      @SetMetadata('below', 2)
      async work(_id: string, _note: string): Promise<void> {}
    }
    const { work } = Marked.prototype
    assert.deepEqual([work.name, work.length], ['work', 2])
    assert.deepEqual([Reflect.getMetadata('above', work), Reflect.getMetadata('below', work)], [1, 2])
    return Promise.resolve()
  },
)

/** Applies the decorator as TypeScript does, but to what its types forbid. */
function decorate(
  target: object,
  property: unknown,
  descriptor?: PropertyDescriptor,
  ...args: unknown[]
): void {
  const decorator: unknown = Reflect.apply(WithLock, undefined, args.length > 0 ? args : ['any'])
  assert(typeof decorator === 'function')
  Reflect.apply(decorator, undefined, [target, property, descriptor])
}

scenario('bad keys and options, and all but methods, are refused when a class is decorated', () => {
  const onMethod = (...args: unknown[]) => {
    decorate({ work() {} }, 'work', { value: () => undefined }, ...args)
  }
  const cases: [() => void, RegExp][] = [
    [() => onMethod(7), /the key of @WithLock must be the name of a lock, or a function.*got 7/],
    [() => onMethod(''), /got ''/],
    [() => onMethod('a', { waitms: 1 }), /unknown option 'waitms' of @WithLock; valid options: waitMs,/],
    [() => onMethod('a', { signal: null }), /unknown option 'signal'/],
    [() => onMethod('a', 500), /options of @WithLock must be an object with waitMs.*got 500/],
    [() => onMethod('a', { ifBusy: 'wait' }), /ifBusy of @WithLock must be 'throw' or 'skip', got 'wait'/],
    [() => onMethod('a', { client: '' }), /client of @WithLock must be the name of a client, got ''/],
    [() => decorate(class Static {}, 'work', { value: () => 1 }), /Static\.work, which is static/],
    [() => decorate({}, 'field'), /can only decorate a method, got field/],
    [() => decorate(() => 1, { kind: 'method' }), /standard \(TC39\) decorator: set experimentalDecorators/],
  ]
  for (const [apply, message] of cases)
    assert.throws(apply, (error: Error) => {
      assert.match(error.message, message)
      return error instanceof InvalidArgumentError
    })
  return Promise.resolve()
})
