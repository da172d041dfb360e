import { compileFunction } from 'node:vm'
import {
  parse,
  type CallExpression,
  type Clause,
  type Expression,
  type ForGenericStatement,
  type ForNumericStatement,
  type FunctionDeclaration,
  type Identifier,
  type Statement,
} from 'luaparse'
import type { Operators } from './operators.js'
import type { LuaResult } from './values.js'

/** A compiled script. */
export type Chunk = (operators: Operators) => LuaResult

const chunks = new Map<string, Chunk>()

/** Compiles Lua 5.1 to JavaScript: an interpreter would spend most of a schedule on it. Throws for what scripts do not use. */
export function compile(lua: string): Chunk {
  const known = chunks.get(lua)
  if (known) return known
  const { body } = parse(lua, {
    luaVersion: '5.1',
    locations: true,
    comments: false,
    encodingMode: 'pseudo-latin1',
  })
  const text = new Compiler().chunk(body)
  // What it compiled is a function of the operators; the types cannot know.
  const chunk = compileFunction(text, ['$'], { filename: 'user_script.js' }) as Chunk
  chunks.set(lua, chunk)
  return chunk
}

/** Writes one script. `$` are the operators. */
class Compiler {
  /** What local names are called, innermost last. */
  readonly #scopes: Map<string, string>[] = [new Map<string, string>()]
  /** Names for values in between, of the functions that are being written. */
  readonly #temporaries: string[][] = []
  #count = 0

  chunk(body: readonly Statement[]): string {
    return this.#functionBody(() => this.#statements(body))
  }

  #functionBody(write: () => string): string {
    this.#temporaries.push([])
    const text = write()
    const names = this.#temporaries.pop() ?? []
    const declared = names.length === 0 ? '' : `let ${names.join(', ')};\n`
    return `${declared}${text}\nreturn [];`
  }

  #statements(body: readonly Statement[]): string {
    return body.map((statement) => this.#statement(statement)).join('\n')
  }

  /** What is declared in it is not known outside. */
  #block(
    body: readonly Statement[],
    declare: readonly Identifier[] = [],
  ): readonly [names: string[], text: string] {
    this.#scopes.push(new Map())
    const names = declare.map((each) => this.#declare(each))
    const text = this.#statements(body)
    this.#scopes.pop()
    return [names, text]
  }

  #declare({ name }: Identifier): string {
    this.#count += 1
    const own = `${name}$${this.#count}`
    this.#scopes.at(-1)?.set(name, own)
    return own
  }

  #temporary(): string {
    this.#count += 1
    const name = `$${this.#count}`
    this.#temporaries.at(-1)?.push(name)
    return name
  }

  #statement(statement: Statement): string {
    switch (statement.type) {
      case 'LocalStatement': {
        const { variables, init } = statement
        if (variables.length === 1 && init.length <= 1) {
          const value = init[0] ? this.#value(init[0]) : 'undefined'
          return variables.map((each) => `let ${this.#declare(each)} = ${value};`).join('')
        }
        const values = this.#list(init)
        return `let [${variables.map((each) => this.#declare(each)).join(', ')}] = [${values}];`
      }
      case 'AssignmentStatement':
        return this.#assignment(statement.variables, statement.init)
      case 'CallStatement':
        return `${this.#results(statement.expression)};`
      case 'IfStatement':
        return statement.clauses.map((clause, n) => this.#clause(clause, n > 0)).join(' ')
      case 'WhileStatement':
        return `while (${this.#condition(statement.condition)}) {\n${this.#block(statement.body)[1]}\n}`
      case 'DoStatement':
        return `{\n${this.#block(statement.body)[1]}\n}`
      case 'ReturnStatement': {
        const [first, ...others] = statement.arguments
        if (first && others.length === 0) return `return ${this.#results(first)};`
        return `return [${this.#list(statement.arguments)}];`
      }
      case 'BreakStatement':
        return 'break;'
      case 'FunctionDeclaration': {
        if (!statement.identifier) throw new Error('a function without a name is no statement')
        const name = this.#declare(statement.identifier)
        return `let ${name} = ${this.#function(statement)};`
      }
      case 'ForNumericStatement':
        return this.#numeric(statement)
      case 'ForGenericStatement':
        return this.#generic(statement)
    }
  }

  #clause({ condition, body }: Clause, isNext: boolean): string {
    const head = condition ? `if (${this.#condition(condition)}) ` : ''
    return `${isNext ? 'else ' : ''}${head}{\n${this.#block(body)[1]}\n}`
  }

  #assignment(variables: readonly Expression[], init: readonly Expression[]): string {
    const [variable] = variables
    const [value] = init
    if (variable && value && variables.length === 1 && init.length === 1)
      return this.#set(variable, this.#value(value))
    const values = this.#list(init)
    const temporaries = variables.map(() => this.#temporary())
    const sets = variables.map((each, n) => this.#set(each, temporaries[n] ?? ''))
    return `[${temporaries.join(', ')}] = [${values}];\n${sets.join('\n')}`
  }

  #set(variable: Expression, value: string): string {
    switch (variable.type) {
      case 'Identifier':
        return `${this.#local(variable)} = ${value};`
      case 'IndexExpression':
        return `$.setIndex(${this.#value(variable.base)}, ${this.#value(variable.index)}, ${value});`
      case 'MemberExpression':
        return `$.setIndex(${this.#value(variable.base)}, ${JSON.stringify(variable.identifier.name)}, ${value});`
      default:
        throw new Error(`nothing is assigned to ${variable.type}`)
    }
  }

  #local({ name }: Identifier): string {
    const known = this.#known(name)
    if (known === undefined) throw new Error(`scripts set no global variables such as ${name}`)
    return known
  }

  #known(name: string): string | undefined {
    for (let at = this.#scopes.length - 1; at >= 0; at -= 1) {
      const known = this.#scopes[at]?.get(name)
      if (known !== undefined) return known
    }
    return undefined
  }

  #numeric({ variable, start, end, step, body }: ForNumericStatement): string {
    const [from, to, by] = [this.#temporaryName(), this.#temporaryName(), this.#temporaryName()]
    const head = `let ${from} = ${this.#number(start)}, ${to} = ${this.#number(end)}, ${by} = ${step ? this.#number(step) : '1'}`
    const [[name = ''], text] = this.#block(body, [variable])
    return `for (${head}; ${by} > 0 ? ${from} <= ${to} : ${from} >= ${to}; ${from} += ${by}) {\nlet ${name} = ${from};\n${text}\n}`
  }

  #generic({ variables, iterators, body }: ForGenericStatement): string {
    const [next, state, control, found] = [
      this.#temporaryName(),
      this.#temporaryName(),
      this.#temporaryName(),
      this.#temporaryName(),
    ]
    const values = this.#list(iterators)
    const [names, text] = this.#block(body, variables)
    return (
      `{ let [${next}, ${state}, ${control}] = [${values}];\nfor (;;) {\n` +
      `const ${found} = $.all(${next}(${state}, ${control}));\nif (${found}[0] === undefined) break;\n` +
      `${control} = ${found}[0];\nlet [${names.join(', ')}] = ${found};\n${text}\n} }`
    )
  }

  /** Of a loop, which declares it itself. */
  #temporaryName(): string {
    this.#count += 1
    return `$${this.#count}`
  }

  #function({ parameters, body }: FunctionDeclaration): string {
    this.#scopes.push(new Map())
    const names = parameters.map((each) =>
      each.type === 'VarargLiteral' ? '...$varargs' : this.#declare(each),
    )
    const text = this.#functionBody(() => this.#statements(body))
    this.#scopes.pop()
    return `(${names.join(', ')}) => {\n${text}\n}`
  }

  /** Expressions between commas, the last of which may stand for any number of values. */
  #list(expressions: readonly Expression[]): string {
    const last = expressions.length - 1
    return expressions
      .map((each, n) =>
        n === last && isMultiple(each) ? `...$.all(${this.#results(each)})` : this.#value(each),
      )
      .join(', ')
  }

  /** One value, or a list of them. */
  #results(expression: Expression): string {
    if (expression.type === 'CallExpression') return this.#call(expression)
    return expression.type === 'VarargLiteral' ? '$varargs' : this.#value(expression)
  }

  #call({ base, arguments: args, loc }: CallExpression): string {
    const list = this.#list(args)
    return `$.call(${loc.start.line}, ${this.#value(base)}${list === '' ? '' : `, ${list}`})`
  }

  #value(expression: Expression): string {
    switch (expression.type) {
      case 'Identifier':
        return this.#known(expression.name) ?? `$.global(${JSON.stringify(expression.name)})`
      case 'StringLiteral':
      case 'NumericLiteral':
      case 'BooleanLiteral':
        return JSON.stringify(expression.value)
      case 'NilLiteral':
        return 'undefined'
      case 'VarargLiteral':
        return '$varargs[0]'
      case 'CallExpression':
        return `$.first(${this.#call(expression)})`
      case 'MemberExpression':
        if (expression.indexer === ':') throw new Error('scripts call no methods')
        return `$.index(${this.#value(expression.base)}, ${JSON.stringify(expression.identifier.name)})`
      case 'IndexExpression':
        return `$.index(${this.#value(expression.base)}, ${this.#value(expression.index)})`
      case 'FunctionDeclaration':
        return this.#function(expression)
      case 'TableConstructorExpression':
        return this.#table(expression.fields)
      case 'UnaryExpression':
        return this.#unary(expression)
      case 'LogicalExpression':
        return this.#logical(expression)
      case 'BinaryExpression':
        return this.#binary(expression)
    }
  }

  #table(fields: Extract<Expression, { type: 'TableConstructorExpression' }>['fields']): string {
    const list = fields.flatMap((field) => (field.type === 'TableValue' ? [field.value] : []))
    const others = fields.flatMap((field) => {
      if (field.type === 'TableValue') return []
      const key = field.type === 'TableKey' ? this.#value(field.key) : JSON.stringify(field.key.name)
      return [`[${key}, ${this.#value(field.value)}]`]
    })
    return `$.table([${this.#list(list)}], [${others.join(', ')}])`
  }

  #unary({ operator, argument }: Extract<Expression, { type: 'UnaryExpression' }>): string {
    switch (operator) {
      case 'not':
        return `!${this.#condition(argument)}`
      case '-':
        return `(-${this.#number(argument)})`
      case '#':
        return `$.length(${this.#value(argument)})`
      default:
        throw new Error(`no operator ${operator}`)
    }
  }

  #logical({ operator, left, right }: Two): string {
    const held = this.#temporary()
    const [then, otherwise] = operator === 'and' ? [this.#value(right), held] : [held, this.#value(right)]
    return `($.t(${held} = ${this.#value(left)}) ? ${then} : ${otherwise})`
  }

  #binary({ operator, left, right }: Two): string {
    const [a, b] = [this.#value(left), this.#value(right)]
    switch (operator) {
      case '==':
        return `(${a} === ${b})`
      case '~=':
        return `(${a} !== ${b})`
      case '<':
        return `$.lt(${a}, ${b})`
      case '<=':
        return `$.le(${a}, ${b})`
      case '>':
        return `$.lt(${b}, ${a})`
      case '>=':
        return `$.le(${b}, ${a})`
      case '..':
        return `($.s(${a}) + $.s(${b}))`
      case '%':
        return `$.mod(${this.#number(left)}, ${this.#number(right)})`
      case '+':
      case '-':
      case '*':
      case '/':
        return `(${this.#number(left)} ${operator} ${this.#number(right)})`
      default:
        throw new Error(`no operator ${operator}`)
    }
  }

  #number(expression: Expression): string {
    return expression.type === 'NumericLiteral'
      ? JSON.stringify(expression.value)
      : `$.n(${this.#value(expression)})`
  }

  /** As JavaScript takes it. */
  #condition(expression: Expression): string {
    switch (expression.type) {
      case 'LogicalExpression': {
        const { operator, left, right } = expression
        return `(${this.#condition(left)} ${operator === 'and' ? '&&' : '||'} ${this.#condition(right)})`
      }
      case 'BinaryExpression':
        return comparisons.has(expression.operator) ? this.#value(expression) : 'true'
      case 'UnaryExpression':
        return expression.operator === 'not' ? this.#value(expression) : 'true'
      default:
        return `$.t(${this.#value(expression)})`
    }
  }
}

type Two = Extract<Expression, { type: 'BinaryExpression' | 'LogicalExpression' }>

const comparisons = new Set(['==', '~=', '<', '<=', '>', '>='])

const isMultiple = ({ type }: Expression): boolean => type === 'CallExpression' || type === 'VarargLiteral'
