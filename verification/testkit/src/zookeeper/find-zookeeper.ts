import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onPath } from '../find/probe-binary.js'

/** Debian's package, whose manifest names what else it needs. */
const debianJar = '/usr/share/java/zookeeper.jar'

/** No ZooKeeper was found; the message says how to get one. */
export class NoZooKeeperError extends Error {
  override readonly name = 'NoZooKeeperError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No ZooKeeper found. Any one of these is enough:',
        '  ZOOKEEPER_CONNECT=127.0.0.1:2181    a running ensemble, on which tests make nodes of their own',
        '  Docker                              start it, or set DOCKER_HOST',
        '  brew install zookeeper              macOS',
        '  sudo apt-get install zookeeper      Debian, Ubuntu',
        '  java, and zkServer.sh on PATH       by any other means',
        'Tests that stop servers, or need several, start their own: those need the programs.',
      ].join('\n'),
      options,
    )
  }
}

/** What `java -cp` takes to run a server; `null`: there is none. */
export function findZooKeeper(): string | null {
  if (onPath('java').length === 0) return null
  // Beside the scripts of a release are its jars.
  const homes = onPath('zkServer.sh').map((path) => dirname(dirname(realpathSync(path))))
  const home = homes.find((each) => existsSync(join(each, 'lib')))
  if (home !== undefined) return [join(home, 'lib', '*'), join(home, '*')].join(':')
  return existsSync(debianJar) ? debianJar : null
}
