/** A clone of an object that has it as a property fails with its text, where it would be an empty object otherwise. */
export const uncloneable = Symbol(
  'clients, locks and leases stay in their thread; in another one, create a client with new Holdfast({ redis: url })',
)
