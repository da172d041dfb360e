import { InvalidArgumentError, Option, type Command } from 'commander'
import { parseDuration } from '../output/duration.js'

/** Reads a duration option. */
export function durationOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(readDuration)
}

/** Reads a duration, in milliseconds. */
export function readDuration(text: string): number {
  const ms = parseDuration(text)
  if (ms === null) throw new InvalidArgumentError('Give a number and a unit: 500ms, 30s, 5m, 2h.')
  return ms
}

/** Reads a number of things. */
export function readCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  throw new InvalidArgumentError('Give a whole number of at least 1.')
}

/** An option that does not exist, by a name that many try first: without it, a similar name of another one is suggested. */
function misnamed(command: Command, name: string, right: string): Option {
  return new Option(`${name} [value]`)
    .hideHelp()
    .argParser(() => command.error(`error: unknown option '${name}'\n(Did you mean ${right}?)`))
}

/** Adds the options that say where the locks are: those of every command. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(misnamed(command, '--redis', '--url'))
    .addOption(misnamed(command, '--postgres', '--url'))
    .addOption(misnamed(command, '--zookeeper', '--url'))
    .addOption(misnamed(command, '--etcd', '--url'))
    .addOption(misnamed(command, '--memcached', '--url'))
    .addOption(misnamed(command, '--mysql', '--url'))
    .option(
      '--url <url>',
      'redis://, rediss://, unix:, postgres://, zk://, etcd://, memcached:// or mysql://; better in HOLDFAST_URL or HOLDFAST_REDIS_URL, since arguments are visible to others',
    )
    .addOption(
      new Option(
        '--cluster <nodes>',
        'host:port,… of a Redis Cluster; user, password and TLS as in the URL',
      ).env('HOLDFAST_CLUSTER'),
    )
    .addOption(new Option('--sentinel <name>', 'the group that the Sentinels watch').env('HOLDFAST_SENTINEL'))
    .addOption(
      new Option('--sentinels <nodes>', 'host:port,… of the Sentinels; default: the host of the URL').env(
        'HOLDFAST_SENTINELS',
      ),
    )
    .addOption(new Option('--prefix <prefix>', 'Holdfast’s prefix of lock names (lock:)'))
    .addOption(new Option('--key-prefix <prefix>', 'the keyPrefix of the application’s client'))
    .addOption(new Option('--schema <name>', 'PostgreSQL: the schema of the tables'))
    .addOption(
      new Option('--tables <kind>', 'PostgreSQL: how the tables were created (default: unlogged)').choices([
        'unlogged',
        'logged',
      ]),
    )
    .option(
      '--min-replicas <count>',
      'PostgreSQL, logged tables: how many standbys must have each step, as in the clients',
      readCount,
    )
    .addOption(new Option('--table <name>', 'MySQL: the table of the locks'))
    .addOption(
      durationOption('--timeout <duration>', 'how long one command to the store may take').default(
        5_000,
        '5s',
      ),
    )
}
