export { HoldfastModule } from './holdfast-module.js'
export type {
  GivenClientOptions,
  HoldfastClient,
  HoldfastClientOptions,
  HoldfastModuleAsyncOptions,
  HoldfastModuleOptions,
  HoldfastProviding,
  OwnedClientOptions,
} from './options.js'
export { getHoldfastToken, getLockToken, InjectHoldfast, InjectLock } from './tokens.js'
export {
  WithLock,
  type SkippingDecorator,
  type WithLockDecorator,
  type WithLockOptions,
} from './with-lock.js'
export { currentLease } from './current-lease.js'
export { HoldfastExceptionFilter, type HoldfastExceptionFilterOptions } from './exception-filter.js'
export { HoldfastHealthIndicator, type HoldfastHealth } from './health-indicator.js'
