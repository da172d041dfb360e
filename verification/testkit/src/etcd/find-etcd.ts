import { onPath } from '../find/probe-binary.js'

/** No etcd was found; the message says how to get one. */
export class NoEtcdError extends Error {
  override readonly name = 'NoEtcdError'

  constructor(options?: ErrorOptions) {
    super(
      [
        'No etcd found. Any one of these is enough:',
        '  ETCD_URL=http://127.0.0.1:2379    a running server',
        '  Docker                            start it, or set DOCKER_HOST',
        '  brew install etcd                 macOS',
        '  sudo apt-get install etcd-server  Debian, Ubuntu',
        '  etcd                              on PATH, by any other means',
        'Tests that crash servers, or need several, start their own: those need the program.',
      ].join('\n'),
      options,
    )
  }
}

/** The program `etcd`, on PATH. `null` if there is none. */
export const findEtcd = (): string | null => onPath('etcd')[0] ?? null
