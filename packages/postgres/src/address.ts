import { InvalidArgumentError, type Address, type ObjectType } from '@holdfast/core/engine'

/** PostgreSQL's text holds no NUL, and no half of a surrogate pair. The backslash marks what stands for them. */
const unsafe = /[\\\0]|\p{Surrogate}/gu

const encode = (name: string): string =>
  name.replace(unsafe, (found) => {
    if (found === '\\') return '\\\\'
    return found === '\0' ? '\\0' : `\\u${found.charCodeAt(0).toString(16)}`
  })

const decode = (id: string): string =>
  id.replace(/\\(\\|0|u([0-9a-f]{4}))/g, (_, found: string, code?: string) => {
    if (code !== undefined) return String.fromCharCode(parseInt(code, 16))
    return found === '0' ? '\0' : '\\'
  })

/** The address of a lock; its id is its name as the tables have it. */
export function addressOf(name: string, object: ObjectType): Address {
  if (object !== 'lock') {
    throw new InvalidArgumentError(`postgres has no ${object}, only locks`, { lockName: name })
  }
  return { name, id: encode(name), group: '' }
}

export const addressOfId = (id: string): Address => ({ name: decode(id), id, group: '' })
