import { createHash } from 'node:crypto'
import { LuaError } from '../lib/lua-folder.mjs'
import { luaModule, scriptTexts } from '../lib/lua-module.mjs'
import { makeFolder, removeFolders } from './support/folders.mjs'

afterEach(removeFolders)

/** As in core. */
class Script {
  constructor(name, family, sha1, pieces) {
    Object.assign(this, { name, family, sha1, lua: pieces.join('\n') })
  }
}

/** What the module exports under a name. */
const load = (text, exported = 'scripts') => {
  const code = text
    .slice(text.indexOf('const '))
    .replaceAll('export const', 'const')
    .replace(/const scripts: [^=]*=/, 'const scripts =')
  return new Function('Script', `${code}; return ${exported}`)(Script)
}

const all = () => true
const moduleOf = (folder, isPart = all, groups) => luaModule(folder, isPart, './script.js', groups)

it('carries each script under its name, with its text and the hash of that', () => {
  const folder = makeFolder({
    'lock/acquire.lua': '--@include includes/b\nreturn b',
    'client/identify.lua': '-- Why.\nreturn 1',
    'includes/b.lua': 'local b = 2',
  })
  const text = moduleOf(folder)
  const lua = 'local b = 2\nreturn b'
  const sha1 = createHash('sha1').update(lua).digest('hex')
  expect(load(text).lockAcquire).toMatchObject({ name: 'lockAcquire', family: 'lock', sha1, lua })
  expect(Object.keys(load(text))).toEqual(['clientIdentify', 'lockAcquire'])
  expect(text).toContain("export type ScriptName = 'clientIdentify' | 'lockAcquire'\n")
  expect(text).toContain("import { Script } from './script.js'\n")
})

it('carries what several scripts include once', () => {
  const folder = makeFolder({
    'a.lua': 'a()\n--@include includes/c\nb()',
    'b.lua': '--@include includes/c',
    'includes/c.lua': 'c()\nc()',
  })
  const text = moduleOf(folder)
  expect(text.match(/c\(\)\nc\(\)/g)).toHaveLength(1)
  expect(load(text).a.lua).toBe('a()\nc()\nc()\nb()')
  expect(load(text).b.lua).toBe('c()\nc()')
})

it('carries no other scripts than it is to', () => {
  const folder = makeFolder({ 'lock/acquire.lua': 'a()', 'other/acquire.lua': 'b()' })
  const text = moduleOf(folder, (file) => file.startsWith('other/'))
  expect(Object.keys(load(text))).toEqual(['otherAcquire'])
})

it('has some families in exports of their own, too', () => {
  const folder = makeFolder({
    'lock/a.lua': 'a()',
    'client/b.lua': 'b()',
    'latch/c.lua': 'c()',
    'other/d.lua': 'd()',
  })
  const text = moduleOf(folder, all, { lockScripts: ['lock', 'client'], latchScripts: ['latch'] })
  expect(Object.keys(load(text, 'lockScripts'))).toEqual(['clientB', 'lockA'])
  expect(Object.keys(load(text, 'latchScripts'))).toEqual(['latchC'])
  expect(Object.keys(load(text)).sort()).toEqual(['clientB', 'latchC', 'lockA', 'otherD'])
})

it('is made of other texts than those of the folder where they are given', () => {
  const script = '--@include includes/b\nreturn b'
  const folder = makeFolder({ 'a.lua': script, 'includes/b.lua': 'local b = 2' })
  const read = (file) => (file === 'includes/b.lua' ? 'local b = 3' : script)
  expect([...scriptTexts(folder, read)]).toEqual([['a', 'local b = 3\nreturn b']])
})

it('keeps what a template literal would change', () => {
  const lua = "local a = '`${b}` \\n $ {'"
  expect(load(moduleOf(makeFolder({ 'a.lua': lua }))).a.lua).toBe(lua)
})

it('has no names for a folder without scripts', () =>
  expect(moduleOf(makeFolder({ 'includes/a.lua': 'a()' }))).toContain('export type ScriptName = never\n'))

it.each([
  ['without statements', { 'a.lua': '-- Later.' }, 'a.lua has no statements'],
  ['whose name another has', { 'a-b.lua': 'x()', 'a/b.lua': 'x()' }, 'two scripts are named aB'],
])('refuses a script %s', (_, files, reason) => {
  const folder = makeFolder(files)
  expect(() => moduleOf(folder)).toThrow(LuaError)
  expect(() => moduleOf(folder)).toThrow(reason)
})
