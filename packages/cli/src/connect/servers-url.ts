import { urlMistake } from '@holdfast/core/engine'
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
  if (hosts === '' || !isReadable) throw invalid(store, scheme, urlMistake(url))
  try {
    return {
      hosts: hosts.split(','),
      path: decodeURIComponent(path),
      user: name === undefined ? undefined : userOf(name, password ?? ''),
      hasTls: s !== '',
    }
  } catch {
    throw invalid(store, scheme, urlMistake(url))
  }
}

const userOf = (name: string, password: string): { readonly name: string; readonly password: string } => ({
  name: decodeURIComponent(name),
  password: decodeURIComponent(password),
})

const invalid = (store: string, scheme: string, mistake: string): ExitError =>
  new ExitError(
    `the URL of ${store} is not valid: ${mistake}; write ${scheme}://user:password@host:port,host:port/path, ` +
      `where user and path may be left out, or ${scheme}s:// for TLS`,
    exitCodes.usage,
  )
