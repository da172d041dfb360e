import ts from 'typescript'
import { said, type Change } from './mutant.js'

const swapped = new Map<ts.SyntaxKind, string>([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
])
const otherBound: Readonly<Record<string, string>> = { 'Math.max': 'Math.min', 'Math.min': 'Math.max' }

/** The mistakes in TypeScript: a condition is negated, an operator or bound swapped, a statement dropped. */
export function typescriptChanges(source: string): Change[] {
  const changes: Change[] = []
  const file = ts.createSourceFile('steps.ts', source, ts.ScriptTarget.ES2022, true)
  const change = (what: string, node: ts.Node, text: string, shown = node.getText(file)): void => {
    changes.push({ what: said(what, shown), from: node.getStart(file), to: node.end, text })
  }
  const negate = (node: ts.Expression): void => change('negate', node, `!(${node.getText(file)})`)
  const visit = (node: ts.Node): void => {
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression)
    if (ts.isConditionalExpression(node)) negate(node.condition)
    if (ts.isBinaryExpression(node)) {
      const other = swapped.get(node.operatorToken.kind)
      if (other !== undefined) change('swap', node.operatorToken, other, node.getText(file))
    }
    if (ts.isCallExpression(node)) {
      const other = otherBound[node.expression.getText(file)]
      if (other !== undefined) change('swap', node.expression, other, node.getText(file))
    }
    if (ts.isExpressionStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node)) {
      change('drop', node, ';')
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return changes
}
