import { createHash } from 'node:crypto'
import { migration1 } from './released/migration-1.js'

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A released migration never changes: some schemas were made by it, and others will be. */
it('the released migrations are as they were', () => {
  expect(hashOf(migration1('"xq_schema_xq"', 'unlogged'))).toBe(
    '5c3230295e203508800707fb7cd3c79bb58f41c134edd2b4b18aabff07eb68f4',
  )
})
