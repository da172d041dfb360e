/** Path and query of a request as it was sent, whatever that is: `new URL` refuses some of what a server can get. */
export function targetOf(url: string): Pick<URL, 'pathname' | 'searchParams'> {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  const target = new URL('http://localhost')
  target.pathname = path.replace(/^[/\\]+/, '/')
  target.search = query
  return target
}

/** What a path asks for. Where the dashboard is mounted is not known, and behind some proxies nowhere: only the end of a path counts. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
