import { gzipSync } from 'node:zlib'
import { assets } from '../assets/generated.js'
import type { Exchange, Reply } from './exchange.js'
import { reply } from './replies.js'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const zipped = new Map<string, Uint8Array>()

/** The page itself has no name. */
const fileOf = (name: string): string => (name === '' ? 'index.html' : name)

/** Every object has a `constructor`, which is not one of its files. */
export const isAsset = (name: string): boolean => Object.hasOwn(assets, fileOf(name))

/** One of the files of the page; `null` if there is none of this name. */
export function asset(name: string, { headers }: Pick<Exchange, 'headers'>): Reply | null {
  const file = fileOf(name)
  const text = isAsset(name) ? assets[file] : undefined
  if (text === undefined) return null
  const common = {
    vary: 'Accept-Encoding',
    // The names of scripts and styles change with their content.
    'cache-control': file === 'index.html' ? 'no-cache' : 'private, max-age=31536000, immutable',
  }
  const type = types[file.slice(file.lastIndexOf('.') + 1)] ?? 'text/plain'
  if (!takesGzip(headers.get('accept-encoding') ?? '')) return reply(200, type, text, common)
  const bytes = zipped.get(file) ?? new Uint8Array(gzipSync(text, { level: 9 }))
  zipped.set(file, bytes)
  return reply(200, type, bytes, { ...common, 'content-encoding': 'gzip' })
}

/** `gzip;q=0` says that it may not be zipped. */
const takesGzip = (accepted: string): boolean =>
  accepted.split(',').some((each) => {
    const [coding = '', ...parameters] = each.split(';').map((part) => part.trim().toLowerCase())
    return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
