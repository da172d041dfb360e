// Compiled, never run: what @WithLock accepts, and after each @ts-expect-error what it does not.
import { WithLock } from '@holdfast/nestjs'
import { of, type Observable } from 'rxjs'

interface Order {
  readonly id: string
}

export class Accepted {
  @WithLock('nightly')
  async constant(): Promise<void> {}

  @WithLock('order:{0}')
  async template(_id: string, _note?: string): Promise<string> {
    return Promise.resolve('')
  }

  @WithLock((id: string) => id)
  async fewerParameters(_id: string, _note: string): Promise<void> {}

  @WithLock((order: Pick<Order, 'id'>) => order.id, { waitMs: 1, leaseMs: 100, maxHoldMs: 200, client: 'a' })
  async widerParameter(_order: Order): Promise<void> {}

  @WithLock('a', { ifBusy: 'skip' })
  async skippedVoid(): Promise<void> {}

  @WithLock('a', { ifBusy: 'skip' })
  async skippedValue(): Promise<string | undefined> {
    return Promise.resolve('')
  }

  readonly tenant = 'a'

  @WithLock(function (this: Accepted, id: string) {
    return `${this.tenant}:${id}`
  })
  async ofThis(_id: string): Promise<void> {}
}

export class Refused {
  // @ts-expect-error the key is made of a number, the method takes a string
  @WithLock((id: number) => `order:${id}`)
  async wrongType(_id: string): Promise<void> {}

  // @ts-expect-error the key needs two arguments
  @WithLock((id: string, line: string) => `${id}:${line}`)
  async tooFew(_id: string): Promise<void> {}

  // @ts-expect-error no promise
  @WithLock('a')
  sync(): number {
    return 1
  }

  // @ts-expect-error an Observable is no promise
  @WithLock('a')
  stream(): Observable<number> {
    return of(1)
  }

  // @ts-expect-error an async iterator is no promise
  @WithLock('a')
  async *iterate(): AsyncGenerator<number> {
    yield await Promise.resolve(1)
  }

  // @ts-expect-error skip resolves with undefined, which is no string
  @WithLock('a', { ifBusy: 'skip' })
  async skippedString(): Promise<string> {
    return Promise.resolve('')
  }

  // @ts-expect-error a key is a string
  @WithLock(() => 7)
  async numberKey(): Promise<void> {}

  // @ts-expect-error a key is no promise
  @WithLock(async () => Promise.resolve('a'))
  async promisedKey(): Promise<void> {}

  // @ts-expect-error of another class
  @WithLock(function (this: Order) {
    return this.id
  })
  async ofAnother(): Promise<void> {}

  // @ts-expect-error one signal for all calls would stop them all
  @WithLock('a', { signal: new AbortController().signal })
  async signalled(): Promise<void> {}
}
