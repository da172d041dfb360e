import { parse } from 'luaparse'
import { said, type Change } from './mutant.js'

interface Node {
  readonly type: string
  readonly range: readonly [number, number]
  readonly operator?: string
  readonly condition?: Node
  readonly left?: Node
  readonly right?: Node
}

const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '~=',
  '~=': '==',
}

const dropped = new Set(['CallStatement', 'AssignmentStatement', 'BreakStatement'])

/** The mistakes in a piece of Lua: a condition or operand is negated, a comparison swapped, a statement dropped. */
export function luaChanges(lua: string): Change[] {
  const changes: Change[] = []
  const textOf = ({ range }: Node): string => lua.slice(...range)
  const change = (what: string, node: Node, text: string): void => {
    const [from, to] = node.range
    changes.push({ what: said(what, textOf(node)), from, to, text })
  }
  const negate = (node: Node): void => {
    if (isEquality(node)) swap(node)
    else change('negate', node, `not (${textOf(node)})`)
  }
  const swap = (node: Node): void => {
    const { left, right, operator = '' } = node
    const other = swapped[operator]
    if (!left || !right || other === undefined) return
    // The range of an operand leaves out its parentheses.
    const [from, to] = [left.range[1], right.range[0]]
    changes.push({
      what: said('swap', textOf(node)),
      from,
      to,
      text: lua.slice(from, to).replace(operator, other),
    })
  }
  for (const node of nodesIn(parse(lua, { luaVersion: '5.1', ranges: true, comments: false }))) {
    if (node.condition) negate(node.condition)
    if (node.type === 'LogicalExpression' && node.left) negate(node.left)
    if (node.type === 'LogicalExpression' && node.right && isTruth(node.right)) negate(node.right)
    if (node.type === 'BinaryExpression') swap(node)
    if (dropped.has(node.type)) change('drop', node, '')
  }
  return changes
}

const isEquality = ({ operator }: Node): boolean => operator === '==' || operator === '~='

/** Whether it is true or false, and not a value that an operator passes on. */
const isTruth = ({ type, operator }: Node): boolean =>
  type === 'LogicalExpression' || operator === 'not' || (operator !== undefined && operator in swapped)

function* nodesIn(tree: unknown): Generator<Node> {
  if (typeof tree !== 'object' || tree === null) return
  if (isNode(tree)) yield tree
  for (const child of Object.values(tree)) yield* nodesIn(child)
}

const isNode = (tree: object): tree is Node => 'type' in tree && 'range' in tree
