import { Module, type DynamicModule, type FactoryProvider } from '@nestjs/common'
import { ModuleRef } from '@nestjs/core'
import { clientProviders, lockProvider } from './client-providers.js'
import { HoldfastHealthIndicator } from './health-indicator.js'
import {
  checkProviding,
  type HoldfastClientOptions,
  type HoldfastModuleAsyncOptions,
  type HoldfastModuleOptions,
  type HoldfastProviding,
} from './options.js'
import { defaultClient, getHoldfastToken, getLockToken, optionsToken } from './tokens.js'

/**
 * Provides a Holdfast client, its locks, and a {@link HoldfastHealthIndicator}. Once per application and client.
 *
 * The client connects at first use. When the application shuts down it closes after `onModuleDestroy` and `beforeApplicationShutdown` of
 * all providers, and after HTTP requests in flight have ended. Without `app.enableShutdownHooks()` a SIGTERM ends the process at once, and
 * its locks stay held until their leases expire: the first lock that is acquired then logs a warning.
 */
// eslint-disable-next-line @typescript-eslint/no-extraneous-class -- to Nest, a module is a class
export class HoldfastModule {
  /**
   * Provides a client with these options.
   *
   * @param options - of the client, as for `new Holdfast`, or the client as `{ holdfast }`; with `name`, `isGlobal`, `locks`, `drainMs`
   * @throws `InvalidArgumentError` here or at boot for a bad option; boot also fails if two modules have a client of the same name
   */
  static forRoot(options: HoldfastModuleOptions): DynamicModule {
    const { name, isGlobal, locks, ...given } = { ...options }
    const providing = { name, isGlobal, locks }
    return moduleOf(providing, { provide: optionsToken(name ?? defaultClient), useFactory: () => given })
  }

  /**
   * The same with options that are injected or awaited, such as those in a `ConfigService`. `name`, `isGlobal` and `locks` are
   * given here, not by the factory.
   */
  static forRootAsync<Args extends unknown[]>(options: HoldfastModuleAsyncOptions<Args>): DynamicModule {
    const { imports = [], inject = [], useFactory, name, isGlobal, locks } = options
    const provide = optionsToken(name ?? defaultClient)
    return { ...moduleOf({ name, isGlobal, locks }, { provide, inject: [...inject], useFactory }), imports }
  }
}

Module({})(HoldfastModule)

function moduleOf(
  providing: HoldfastProviding,
  options: FactoryProvider<HoldfastClientOptions>,
): DynamicModule {
  checkProviding(providing)
  const { name = defaultClient, isGlobal = true, locks = [] } = providing
  const health: FactoryProvider<HoldfastHealthIndicator> = {
    provide: HoldfastHealthIndicator,
    inject: [ModuleRef],
    useFactory: (modules: ModuleRef) => new HoldfastHealthIndicator(modules),
  }
  return {
    module: HoldfastModule,
    global: isGlobal,
    providers: [...clientProviders(name, options), ...locks.map((lock) => lockProvider(lock, name)), health],
    exports: [
      getHoldfastToken(name),
      ...locks.map((lock) => getLockToken(lock, name)),
      HoldfastHealthIndicator,
    ],
  }
}
