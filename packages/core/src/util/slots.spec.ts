import calculateSlot from 'cluster-key-slot'
import { slotOf } from './lists.js'

it.each([
  '',
  'a',
  'lock:a',
  '{t}:a',
  'a{t}b{u}',
  '{}a',
  'a{',
  'a}{t}',
  '{{t}}',
  'ä{ü🔑}',
  '{ä',
  '🔑'.repeat(50),
])('the slot of %j is that of a Redis Cluster', (key) => expect(slotOf(key)).toBe(calculateSlot(key)))
