/** A library whose start is measured. */
export interface Subject {
  readonly of: string
  /** The title of the contender that takes the first lock. */
  readonly contender: string
  /** What a program imports to use it. */
  readonly modules: readonly string[]
  /** What is installed for it, besides ioredis. */
  readonly packages: readonly string[]
}

const beside = (contender: string, name: string, ...modules: readonly string[]): Subject => ({
  of: contender,
  contender,
  modules: ['ioredis', name, ...modules],
  packages: [name],
})

/** The floor of starting: ioredis, its connection and a PING. */
export const bareClient: Subject = { of: 'ioredis', contender: 'PING', modules: ['ioredis'], packages: [] }

/** If a library takes the client from its user, the user imports ioredis too. */
export const libraries: readonly Subject[] = [
  beside('Holdfast', '@holdfast/core'),
  beside('redlock 4', 'redlock-4'),
  beside('redlock 5', 'redlock-5'),
  beside('@sesamecare-oss/redlock', '@sesamecare-oss/redlock'),
  beside('redlock-universal', 'redlock-universal'),
  beside('redis-semaphore', 'redis-semaphore'),
  beside('@verrou/core', '@verrou/core', '@verrou/core/drivers/redis'),
  // Creates its client itself, possibly with another version of ioredis.
  {
    of: 'node-redisson',
    contender: 'node-redisson',
    modules: ['node-redisson'],
    packages: ['node-redisson'],
  },
]
