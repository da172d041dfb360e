declare module 'luaparse' {
  /** The tree of a chunk of Lua 5.1, as far as scripts of Redis use it. */
  export function parse(
    lua: string,
    options: { luaVersion: '5.1'; locations: true; comments: false; encodingMode: 'pseudo-latin1' },
  ): Chunk

  export interface Chunk {
    readonly body: readonly Statement[]
  }

  interface Located {
    readonly loc: { readonly start: { readonly line: number } }
  }

  export type Statement =
    | {
        readonly type: 'LocalStatement'
        readonly variables: readonly Identifier[]
        readonly init: Expression[]
      }
    | { readonly type: 'AssignmentStatement'; readonly variables: Expression[]; readonly init: Expression[] }
    | { readonly type: 'CallStatement'; readonly expression: Expression }
    | { readonly type: 'IfStatement'; readonly clauses: readonly Clause[] }
    | { readonly type: 'WhileStatement'; readonly condition: Expression; readonly body: readonly Statement[] }
    | { readonly type: 'DoStatement'; readonly body: readonly Statement[] }
    | { readonly type: 'ReturnStatement'; readonly arguments: Expression[] }
    | { readonly type: 'BreakStatement' }
    | FunctionDeclaration
    | ForNumericStatement
    | ForGenericStatement

  export interface ForNumericStatement {
    readonly type: 'ForNumericStatement'
    readonly variable: Identifier
    readonly start: Expression
    readonly end: Expression
    readonly step: Expression | null
    readonly body: readonly Statement[]
  }

  export interface ForGenericStatement {
    readonly type: 'ForGenericStatement'
    readonly variables: readonly Identifier[]
    readonly iterators: Expression[]
    readonly body: readonly Statement[]
  }

  /** Of an `if`, an `elseif` or an `else`, which has no condition. */
  export interface Clause {
    readonly condition?: Expression
    readonly body: readonly Statement[]
  }

  export interface FunctionDeclaration {
    readonly type: 'FunctionDeclaration'
    readonly identifier: Identifier | null
    readonly parameters: readonly (Identifier | { readonly type: 'VarargLiteral' })[]
    readonly body: readonly Statement[]
  }

  export interface Identifier {
    readonly type: 'Identifier'
    readonly name: string
  }

  export interface CallExpression extends Located {
    readonly type: 'CallExpression'
    readonly base: Expression
    readonly arguments: Expression[]
  }

  export interface MemberExpression {
    readonly type: 'MemberExpression'
    readonly indexer: '.' | ':'
    readonly base: Expression
    readonly identifier: Identifier
  }

  export interface IndexExpression {
    readonly type: 'IndexExpression'
    readonly base: Expression
    readonly index: Expression
  }

  export type TableField =
    | { readonly type: 'TableValue'; readonly value: Expression }
    | { readonly type: 'TableKeyString'; readonly key: Identifier; readonly value: Expression }
    | { readonly type: 'TableKey'; readonly key: Expression; readonly value: Expression }

  export type Expression =
    | Identifier
    | CallExpression
    | MemberExpression
    | IndexExpression
    | FunctionDeclaration
    | { readonly type: 'StringLiteral'; readonly value: string }
    | { readonly type: 'NumericLiteral'; readonly value: number }
    | { readonly type: 'BooleanLiteral'; readonly value: boolean }
    | { readonly type: 'NilLiteral' }
    | { readonly type: 'VarargLiteral' }
    | { readonly type: 'TableConstructorExpression'; readonly fields: readonly TableField[] }
    | { readonly type: 'UnaryExpression'; readonly operator: string; readonly argument: Expression }
    | {
        readonly type: 'BinaryExpression' | 'LogicalExpression'
        readonly operator: string
        readonly left: Expression
        readonly right: Expression
      }
}
