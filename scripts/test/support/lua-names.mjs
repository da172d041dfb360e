import { parse } from 'luaparse'

/** Redis and the parts of Lua's library that every supported server has. */
const globals = new Set('KEYS ARGV redis ipairs math string table tonumber type unpack'.split(' '))

export const isGlobal = (name) => globals.has(name)

/**
 * The names of a piece of Lua: those it reads or sets without declaring them, those it declares at its top level, and
 * locals that hide a live local of the same name. `_` is for what nobody reads.
 */
export function namesOf(lua) {
  const scopes = [[]]
  const shadowing = []
  const chunk = parse(lua, {
    luaVersion: '5.1',
    scope: true,
    comments: false,
    onCreateScope: () => scopes.push([]),
    onDestroyScope: () => scopes.pop(),
    onLocalDeclaration(name) {
      if (name !== '_' && scopes.flat().includes(name)) shadowing.push(name)
      scopes.at(-1).push(name)
    },
  })
  const read = new Set()
  const assigned = new Set()
  visit(chunk, (name, isAssigned) => (isAssigned ? assigned : read).add(name))
  const declared = chunk.body.flatMap(({ type, isLocal, identifier, variables }) => {
    if (type === 'LocalStatement') return variables.map(({ name }) => name)
    return type === 'FunctionDeclaration' && isLocal ? [identifier.name] : []
  })
  return { read, assigned, declared, shadowing }
}

/** Calls back with each name that is not declared in the tree. */
function visit(node, onFree, isAssigned = false) {
  if (Array.isArray(node)) {
    for (const each of node) visit(each, onFree, isAssigned)
  } else if (typeof node === 'object' && node !== null) {
    if (node.type === 'Identifier' && node.isLocal === false) onFree(node.name, isAssigned)
    for (const [key, child] of Object.entries(node)) {
      if (key === 'globals') continue
      visit(child, onFree, node.type === 'AssignmentStatement' && key === 'variables')
    }
  }
}
