import ts from 'typescript'
import { root } from './workspace.mjs'

const entry = `${root}packages/core/src/index.ts`
const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}tsconfig.test.json`, ts.sys.readFile).config,
  ts.sys,
  root,
)
const program = ts.createProgram([entry], options)
const checker = program.getTypeChecker()
const exported = new Map(
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)))
    .map((symbol) => [
      symbol.name,
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
    ]),
)

const textOf = (parts) => ts.displayPartsToString(parts).trim()

/** What a docstring says, and what it says in a tag such as `@defaultValue`. */
export const documentationOf = (symbol) => textOf(symbol.getDocumentationComment(checker))
export const tagOf = (symbol, name) =>
  textOf(symbol.getJsDocTags(checker).find((tag) => tag.name === name)?.text)

export function exportOf(name) {
  const symbol = exported.get(name)
  if (!symbol) throw new Error(`@holdfast/core exports no ${name}`)
  return symbol
}

export const exportNames = [...exported.keys()]

const typeOf = (symbol) =>
  symbol.flags & ts.SymbolFlags.Property
    ? checker.getTypeOfSymbol(symbol)
    : checker.getDeclaredTypeOfSymbol(symbol)

/** The members of a type: all, or without those that it has from another one. */
export const membersOf = (symbol) => checker.getPropertiesOfType(typeOf(symbol))

/** What is declared in the body of a class or an interface itself. */
export const ownMembersOf = (symbol) =>
  membersOf(symbol).filter(({ declarations }) =>
    declarations.some(({ parent }) => symbol.declarations.includes(parent)),
  )

/** The types of a tuple, as those of what an event carries. */
export const elementsOf = (symbol) => checker.getTypeArguments(typeOf(symbol))
export const fieldsOf = (type) => checker.getPropertiesOfType(type)
export const isClass = (symbol) => (symbol.flags & ts.SymbolFlags.Class) !== 0
export const positionOf = (symbol) => symbol.declarations[0].pos

/** Declared only so that it cannot be given. */
export const isNever = (symbol) => (typeOf(symbol).flags & ts.TypeFlags.Undefined) !== 0
export const isOptional = (symbol) => (symbol.flags & ts.SymbolFlags.Optional) !== 0

/** `'LOCK_TIMEOUT'` of `static readonly code = 'LOCK_TIMEOUT'`. */
export function literalOf(symbol) {
  const type = typeOf(symbol)
  return type.isStringLiteral() ? type.value : undefined
}
