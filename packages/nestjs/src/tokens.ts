import { Inject } from '@nestjs/common'

/** The name of a client that has none. */
export const defaultClient = 'default'

// Registered symbols: the ES module and the CommonJS copy of this package have the same. Nest shows their text where it misses one.
const symbolOf = (what: string, client: string): symbol =>
  Symbol.for(`${what} ${JSON.stringify(client)} of HoldfastModule`)

/**
 * The injection token of a client, for `overrideProvider` and factories.
 *
 * @param name - as given to `forRoot`, or `'default'`
 */
export const getHoldfastToken = (name: string = defaultClient): symbol => symbolOf('the client', name)

/**
 * The injection token of a lock that `forRoot({ locks })` lists.
 *
 * @param client - the name of its client, or `'default'`
 */
export const getLockToken = (lock: string, client: string = defaultClient): symbol =>
  symbolOf(`the lock ${JSON.stringify(lock)} of the client`, client)

/** The token of what a client is made of. It is exported by no module. */
export const optionsToken = (name: string): symbol => symbolOf('the options of the client', name)

/** Injects a client: the one of that name, or the one without. Boot fails without it. */
export const InjectHoldfast = (name?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getHoldfastToken(name))

/** Injects a lock that `forRoot({ locks })` of that client lists. Boot fails without it. */
export const InjectLock = (lock: string, client?: string): PropertyDecorator & ParameterDecorator =>
  Inject(getLockToken(lock, client))
