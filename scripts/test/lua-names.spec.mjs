import { scriptFiles, statements } from '../lib/lua-folder.mjs'
import { root } from '../lib/workspace.mjs'
import { isGlobal, namesOf } from './support/lua-names.mjs'

const folder = `${root}lua`
const files = scriptFiles(folder)

const namesOfScript = (file) => namesOf(statements(folder, [file]).join('\n'))

it.each(files)('%s gives no local the name of another that is live', (file) =>
  expect(namesOfScript(file).shadowing).toEqual([]),
)

it.each(files)('%s reads and sets only what it declares', (file) => {
  const { read, assigned } = namesOfScript(file)
  expect([...read, ...assigned].filter((name) => !isGlobal(name))).toEqual([])
})

describe('the check of names', () => {
  it.each([
    ['in a block', 'local a = 1 if a then local a = 2 end'],
    ['in the same block', 'local a = 1 local a = 2'],
    ['of a loop', 'local a = 1 for a = 1, 2 do end'],
    ['of a parameter', 'local a = 1 local function f(a) end'],
    ['of a function', 'local a = 1 do local function a() end end'],
  ])('sees a local that hides another, %s', (_, lua) => expect(namesOf(lua).shadowing).toEqual(['a']))

  it('lets blocks beside each other use the same name, and any use _', () => {
    const lua = 'do local a = 1 end do local a = 2 end local a, _ = 3, 4 for _ = 1, 2 do end'
    expect(namesOf(lua).shadowing).toEqual([])
  })

  it('distinguishes names that are read from those that are set and declared', () => {
    const { read, assigned, declared } = namesOf(
      'local a, b = c.d, { e = f } g = a h[i] = b local function j(k) l = k end do local m end',
    )
    expect({ read: [...read], assigned: [...assigned], declared }).toEqual({
      read: ['c', 'f', 'h', 'i'],
      assigned: ['g', 'l'],
      declared: ['a', 'b', 'j'],
    })
  })
})
