import { Holdfast, InvalidArgumentError, type Lock } from '@holdfast/core'
import type { FactoryProvider, Provider } from '@nestjs/common'
import { ModulesContainer } from '@nestjs/core'
import { ClientLifetime } from './client-lifetime.js'
import { checkClientOptions, type HoldfastClient, type HoldfastClientOptions } from './options.js'
import { getHoldfastToken, getLockToken, optionsToken } from './tokens.js'

/** The providers of one client. They make it, without connecting it, and close it. */
export function clientProviders(name: string, options: FactoryProvider<HoldfastClientOptions>): Provider[] {
  const client = getHoldfastToken(name)
  return [
    options,
    {
      provide: client,
      inject: [options.provide, ModulesContainer],
      useFactory: (given: HoldfastClientOptions, modules: ModulesContainer): HoldfastClient => {
        assertOnce(name, modules)
        return clientOf(given)
      },
    },
    // Asked for by its token, so that it leaves a client alone that a test has put in its place.
    {
      provide: Symbol(`the lifetime of the client ${JSON.stringify(name)}`),
      inject: [client],
      useFactory: (used: HoldfastClient) => new ClientLifetime(used),
    },
  ]
}

/** A provider of one lock. */
export const lockProvider = (lock: string, client: string): FactoryProvider<Lock> => ({
  provide: getLockToken(lock, client),
  inject: [getHoldfastToken(client)],
  useFactory: (holdfast: HoldfastClient) => holdfast.getLock(lock),
})

function clientOf(options: HoldfastClientOptions): HoldfastClient {
  checkClientOptions(options)
  if (options.holdfast) return options.holdfast
  const { drainMs, holdfast: _none, ...rest } = options
  const made = new Holdfast(rest)
  ClientLifetime.begin(made, { drainMs, endsWithProcess: rest.engine?.name === 'memory' })
  return made
}

/** Two clients under one name would each have connections, and only one of them would be injected. */
function assertOnce(name: string, modules: ModulesContainer): void {
  const providing = [...modules.values()].filter(({ providers }) => providers.has(optionsToken(name)))
  if (providing.length < 2) return
  const text = JSON.stringify(name)
  throw new InvalidArgumentError(
    `HoldfastModule was imported ${providing.length} times with a client named ${text}, which would make as many clients: call forRoot once, ` +
      'its client is global; or give each client a name, as in forRoot({ name: "audit", … })',
  )
}
