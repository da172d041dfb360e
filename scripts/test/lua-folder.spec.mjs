import { LuaError, scriptFamily, scriptFiles, scriptName, statements } from '../lib/lua-folder.mjs'
import { makeFolder, removeFolders } from './support/folders.mjs'

afterEach(removeFolders)

/** What the script becomes, on one line. */
const assembled = (files, script = 'a.lua') => statements(makeFolder(files), [script]).join('; ')

it('finds the scripts of all folders, and takes no include for one', () => {
  const folder = makeFolder({
    'b.lua': '',
    'a/b.lua': '',
    'a/includes/c.lua': '',
    'includes/d.lua': '',
    'includes/deep/e.lua': '',
    'notes.txt': '',
  })
  expect(scriptFiles(folder)).toEqual(['a/b.lua', 'b.lua'])
})

it.each([
  ['a.lua', 'a'],
  ['lock/acquire.lua', 'lockAcquire'],
  ['redisson/identify-sharding.lua', 'redissonIdentifySharding'],
])('names %s %s', (file, name) => expect(scriptName(file)).toBe(name))

it.each([
  ['a.lua', ''],
  ['lock/acquire.lua', 'lock'],
  ['redisson/read-write/acquire.lua', 'read-write'],
])('counts %s among the family "%s"', (file, family) => expect(scriptFamily(file)).toBe(family))

describe('the statements of a script', () => {
  it('come without comments, blank lines, indentation and carriage returns', () => {
    const text = '--[[\n  Header.\n]]\n\n-- Why.\r\nif a then\r\n\t  b() -- stays\n  --[[ short ]]\nend\n'
    expect(assembled({ 'a.lua': text })).toBe('if a then; b() -- stays; end')
  })

  it('have an include in place of its line, as often as it is named', () => {
    const files = { 'a.lua': 'x()\n  --@include b\ny()\n--@include b', 'b.lua': '-- Why.\nb()' }
    expect(assembled(files)).toBe('x(); b(); y(); b()')
  })

  it('have the includes of an include', () => {
    const files = {
      'a.lua': '--@include includes/b',
      'includes/b.lua': 'b1()\n--@include includes/c\nb2()',
      'includes/c.lua': 'c()',
    }
    expect(assembled(files)).toBe('b1(); c(); b2()')
  })

  it('have the include at the path that is named, from the file or from the folder', () => {
    const files = {
      'lock/a.lua': '--@include ./includes/b\n--@include includes/b\n--@include ../other/b',
      'lock/includes/b.lua': 'own()\n--@include ./c',
      'lock/includes/c.lua': 'ownPart()',
      'includes/b.lua': 'shared()\n--@include ./c',
      'includes/c.lua': 'sharedPart()',
      'other/b.lua': 'other()',
    }
    expect(assembled(files, 'lock/a.lua')).toBe('own(); ownPart(); shared(); sharedPart(); other()')
  })
})

describe('a script is refused', () => {
  const refusal = (files) => {
    try {
      return assembled(files)
    } catch (error) {
      expect(error).toBeInstanceOf(LuaError)
      return error.message.replace(/^[^/]*\//, '')
    }
  }

  it('for an include cycle, with its chain', () => {
    const files = {
      'a.lua': '--@include includes/b',
      'includes/b.lua': '--@include ./c',
      'includes/c.lua': '\n--@include ./d',
      'includes/d.lua': '--@include includes/c',
    }
    expect(refusal(files)).toBe(
      'includes/d.lua:1: include cycle: includes/c.lua -> includes/d.lua -> includes/c.lua',
    )
  })

  it('for an include of itself', () => {
    expect(refusal({ 'a.lua': '--@include includes/b', 'includes/b.lua': '--@include ./b' })).toBe(
      'includes/b.lua:1: include cycle: includes/b.lua -> includes/b.lua',
    )
  })

  it('for an unknown include, with the file and line that name it', () => {
    expect(refusal({ 'a.lua': '--@include includes/b', 'includes/b.lua': 'b()\n--@include c' })).toBe(
      'includes/b.lua:2: unknown include "c"',
    )
  })

  it('for an include that is named without its folder', () =>
    expect(refusal({ 'a.lua': '--@include b', 'includes/b.lua': '' })).toBe('a.lua:1: unknown include "b"'))

  it('for an unknown directive', () =>
    expect(refusal({ 'a.lua': '--@require b' })).toBe('a.lua:1: unknown directive "--@require b"'))

  it('for a block comment without an end', () =>
    expect(refusal({ 'a.lua': 'x()\n--[[ y' })).toBe('a.lua: block comment without an end'))

  it('for a statement behind a block comment', () =>
    expect(refusal({ 'a.lua': '--[[ x ]] y()' })).toBe(
      'a.lua:1: statement behind the end of a block comment',
    ))

  it.each(['x([[text]])', 'x([==[text]==])', "x('a\\"])('for a string over several lines: %s', (line) =>
    expect(refusal({ 'a.lua': line })).toBe('a.lua:1: long brackets and continued strings are not supported'),
  )
})
