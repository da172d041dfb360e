import { createHash } from 'node:crypto'
import { LuaError } from '../lib/lua-folder.mjs'
import { luaModule } from '../lib/lua-module.mjs'
import { makeFolder, removeFolders } from './support/folders.mjs'

afterEach(removeFolders)

/** What the module exports. */
const load = (text) => {
  const [, literal] = /export const scripts[^=]*= (\{.*\})\n$/s.exec(text)
  return new Function(`return ${literal}`)()
}

it('carries each script under its name, with its text and the hash of that', () => {
  const folder = makeFolder({
    'lock/acquire.lua': '--@include b\nreturn b',
    'client/identify.lua': '-- Why.\nreturn 1',
    'includes/b.lua': 'local b = 2',
  })
  const text = luaModule(folder)
  const lua = 'local b = 2\nreturn b'
  const sha1 = createHash('sha1').update(lua).digest('hex')
  expect(load(text).lockAcquire).toEqual({ name: 'lockAcquire', sha1, lua })
  expect(Object.keys(load(text))).toEqual(['clientIdentify', 'lockAcquire'])
  expect(text).toContain("export type ScriptName = 'clientIdentify' | 'lockAcquire'\n")
})

it('keeps what a template literal would change', () => {
  const lua = "local a = '`${b}` \\n $ {'"
  expect(load(luaModule(makeFolder({ 'a.lua': lua }))).a.lua).toBe(lua)
})

it('has no names for a folder without scripts', () => {
  expect(luaModule(makeFolder({ 'includes/a.lua': 'a()' }))).toContain('export type ScriptName = never\n')
})

it.each([
  ['without statements', { 'a.lua': '-- Later.' }, 'a.lua has no statements'],
  ['whose name another has', { 'a-b.lua': 'x()', 'a/b.lua': 'x()' }, 'two scripts are named aB'],
])('refuses a script %s', (_, files, reason) => {
  const folder = makeFolder(files)
  expect(() => luaModule(folder)).toThrow(LuaError)
  expect(() => luaModule(folder)).toThrow(reason)
})
