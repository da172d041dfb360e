import { once } from 'node:events'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { isHoldfastError, type Holdfast } from '@holdfast/core'
import { addStoreOptions } from '../connect/options.js'
import type { StoreOptions } from '../connect/store-options.js'
import { printLine, say } from '../output/terminal.js'
import { withClient } from './with-client.js'

interface DashboardOptions extends StoreOptions {
  readonly port: number
  readonly host: string
  readonly allowHost?: readonly string[]
  readonly write?: boolean
}

export function addDashboard(program: Command): void {
  const command = program
    .command('dashboard')
    .description('serve the live page on this machine, behind a random token')
    .addOption(
      new Option('--port <port>', 'where to listen').default(0, 'a free port').argParser((text) => {
        const port = Number(text)
        if (/^\d+$/.test(text) && port <= 65_535) return port
        throw new InvalidArgumentError('Give a number from 0 to 65535.')
      }),
    )
    .option('--host <address>', 'on which address; others than loopback are open to the network', '127.0.0.1')
    .option(
      '--allow-host <names...>',
      'also answer under these names, as behind a proxy (default: localhost and addresses only)',
    )
    .option('--write', 'let the page evict holders')
  addStoreOptions(command).action((options: DashboardOptions) =>
    withClient(options, { label: 'holdfast dashboard' }, (holdfast) => serve(holdfast, options)),
  )
}

async function serve(
  holdfast: Holdfast,
  { port, host, allowHost: allowedHosts, write = false }: DashboardOptions,
): Promise<void> {
  const { serveDashboard } = await import('../dashboard/index.js')
  const page = await serveDashboard({ holdfast, port, host, allowedHosts, readOnly: !write })
  printLine(page.url)
  say('serving the page until Ctrl-C')
  void sayUnlessUsable(holdfast)
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await page.close()
}

/** The page is served all the same: an outage may pass. */
async function sayUnlessUsable(holdfast: Holdfast): Promise<void> {
  try {
    await holdfast.clients()
  } catch (error) {
    const isOutage = isHoldfastError(error) && error.code === 'UNAVAILABLE'
    const isRefusal = isHoldfastError(error) && error.code === 'REFUSED'
    if (isOutage) say(`${error.message}; the page goes on trying`)
    if (isRefusal) say(`${error.message}; the page is served, and goes on once the store accepts it`)
  }
}
