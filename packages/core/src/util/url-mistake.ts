/**
 * What is wrong with the URL of a store that cannot be read, as the end of an error. Without its text, which may contain a
 * password.
 */
export function urlMistake(url: string): string {
  const [scheme = ''] = /^[a-z+]*/i.exec(url) ?? []
  const [authority = ''] = url
    .slice(Math.max(`${scheme}://`.length, url.lastIndexOf('@') + 1))
    .split(/[/?#]/, 1)
  const port = /^(?:\[[^\]]*\]|[^:[\]]*):(.*)$/.exec(authority)?.[1]
  if (authority.includes(',')) return 'it must name one host and port'
  if (port?.includes(':')) return 'an IPv6 address must stand in brackets, as in [::1]'
  if (port !== undefined && !isPort(port)) return 'its port must be a number from 1 to 65535'
  if (!url.includes('@')) return `it must have the form ${scheme}://user:password@host:port/database`
  return 'special characters in a password must be percent-encoded (% as %25, @ as %40, / as %2F)'
}

const isPort = (text: string): boolean => /^\d*$/.test(text) && Number(text) <= 65_535
