/** The variables of the environment that say where the locks are, and with which passwords they are reached. */
export const storeVariables: readonly string[] = [
  'HOLDFAST_URL',
  'HOLDFAST_REDIS_URL',
  'HOLDFAST_CLUSTER',
  'HOLDFAST_SENTINEL',
  'HOLDFAST_SENTINELS',
  'HOLDFAST_SENTINEL_USERNAME',
  'HOLDFAST_SENTINEL_PASSWORD',
]
