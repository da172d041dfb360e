/** A clone of an object that has it as a property fails with its text, where it would be an empty object otherwise. */
export const uncloneable = Symbol(
  'clients, locks and leases stay in their thread; in another one, create a client with new Holdfast({ redis: url })',
)

// Of the registry of all symbols: a package for another Redis library may use another copy of this one.

/** By what a `RedisClient` is recognized. Its value is the version of that interface. */
export const redisClient: unique symbol = Symbol.for('holdfast.redis-client')

/**
 * By what an error is recognized with which a `RedisClient` rejects a command that gets no reply: its connection broke, or never came
 * to be. Its `cause` says why.
 */
export const connectionLost: unique symbol = Symbol.for('holdfast.connection-lost')
