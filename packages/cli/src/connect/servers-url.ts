import { ExitError, exitCodes } from '../exit-codes.js'

/** What a URL of several servers says. */
export interface ServersUrl {
  /** Each as `host` or `host:port`. */
  readonly hosts: readonly string[]
  /** Without the slash in front of it; `''` for none. */
  readonly path: string
  readonly user: { readonly name: string; readonly password: string } | undefined
  readonly hasTls: boolean
}

/** Reads `scheme://[user:password@]host[:port],…[/path]`, or `schemes://` for TLS. Errors do not repeat the URL, which may contain a password. */
export function readServersUrl(store: string, scheme: string, url: string): ServersUrl {
  const [, s, name, password, hosts = '', path = ''] =
    new RegExp(`^${scheme}(s?)://(?:([^:@/]*):([^@/]*)@)?([^@/?#]+)(?:/([^@?#]*))?$`, 'i').exec(url) ?? []
  const isReadable = hosts.split(',').every((host) => URL.canParse(`http://${host}`))
  if (hosts === '' || !isReadable) throw invalid(store, scheme)
  try {
    return {
      hosts: hosts.split(','),
      path: decodeURIComponent(path),
      user: name === undefined ? undefined : userOf(name, password ?? ''),
      hasTls: s !== '',
    }
  } catch {
    throw invalid(store, scheme)
  }
}

const userOf = (name: string, password: string): { readonly name: string; readonly password: string } => ({
  name: decodeURIComponent(name),
  password: decodeURIComponent(password),
})

const invalid = (store: string, scheme: string): ExitError =>
  new ExitError(
    `the URL of ${store} is not valid: write ${scheme}://user:password@host:port,host:port/path, or ${scheme}s:// for TLS; user and path ` +
      'may be left out, and special characters in a password must be percent-encoded',
    exitCodes.usage,
  )
