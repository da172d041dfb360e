import { luaChanges } from './lua-changes.js'
import { mutantsOf, type Change } from './mutant.js'
import { sqlChanges } from './sql-changes.js'
import { typescriptChanges } from './typescript-changes.js'

const madeBy = (changes: (source: string) => Change[], source: string): Record<string, string> =>
  Object.fromEntries(
    mutantsOf('f', source, changes(source)).map(({ id, source: text }) => [
      id,
      text.replace(/\s+/g, ' ').trim(),
    ]),
  )

const body = (code: string): string =>
  `create function s.f(a int default 1, out b int) language plpgsql as $function$ declare n int := 1; begin ${code} end $function$;`
const inBody = (code: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(madeBy(sqlChanges, body(code))).map(([id, text]) => [
      id,
      text.replace(/^.* begin |end \$function\$;$/g, '').trim(),
    ]),
  )

describe('the mistakes in Lua', () => {
  it.each([
    [
      'a condition and its operands',
      `if a and b < c then d() end`,
      {
        'f: negate "a and b < c"': `if not (a and b < c) then d() end`,
        'f: negate "a"': `if not (a) and b < c then d() end`,
        'f: negate "b < c"': `if a and not (b < c) then d() end`,
        'f: swap "b < c"': `if a and b <= c then d() end`,
        'f: drop "d()"': `if a and b < c then end`,
      },
    ],
    [
      'an equality once',
      `while a == b do break end`,
      { 'f: swap "a == b"': `while a ~= b do break end`, 'f: drop "break"': `while a == b do end` },
    ],
    [
      'a value that an operator passes on',
      `x = a and '1' or c`,
      {
        [`f: drop "x = a and '1' or c"`]: ``,
        [`f: negate "a and '1'"`]: `x = not (a and '1') or c`,
        'f: negate "a"': `x = not (a) and '1' or c`,
      },
    ],
    ['an operand in parentheses', `return a < (b + c)`, { 'f: swap "a < (b + c)"': `return a <= (b + c)` }],
    ['equal places, by their number', `d()\nd()`, { 'f: drop "d()"': `d()`, 'f: drop "d()" (2)': `d()` }],
    ['no names that are declared', `local x = 1\nreturn x`, {}],
  ])('are made in %s', (_, lua, expected) => expect(madeBy(luaChanges, lua)).toEqual(expected))

  it('have the same names when a line is added', () => {
    const lua = `call('DEL', a)\nif b then call('DEL', a) end`
    const later = `-- Why.\nlocal x = 1\n${lua}`
    expect(Object.keys(madeBy(luaChanges, later))).toEqual(Object.keys(madeBy(luaChanges, lua)))
    expect(Object.keys(madeBy(luaChanges, lua))).toContain(`f: drop "call('DEL', a)" (2)`)
  })
})

describe('the mistakes in SQL', () => {
  it.each([
    [
      'a condition and its parts',
      `if a < 1 and not b then c := 2; end if;`,
      {
        'f: negate "a < 1 and not b"': `if not (a < 1 and not b) then c := 2; end if;`,
        'f: swap "a < 1"': `if a <= 1 and not b then c := 2; end if;`,
        'f: swap "1 and not"': `if a < 1 or not b then c := 2; end if;`,
        'f: leave out "and not b"': `if a < 1 and b then c := 2; end if;`,
        'f: drop "c := 2;"': `if a < 1 and not b then end if;`,
      },
    ],
    [
      'a statement, whose parentheses and cases are its own',
      `for x in select 1 loop y := (select case when z then 1 else 2 end); exit when z; end loop;`,
      {
        'f: drop "y := (select case when z then 1 else 2 end);"': `for x in select 1 loop exit when z; end loop;`,
        'f: negate "z"': `for x in select 1 loop y := (select case when not (z) then 1 else 2 end); exit when z; end loop;`,
        'f: drop "exit when z;"': `for x in select 1 loop y := (select case when z then 1 else 2 end); end loop;`,
        'f: negate "z" (2)': `for x in select 1 loop y := (select case when z then 1 else 2 end); exit when not (z); end loop;`,
      },
    ],
    [
      'a query',
      `delete from "s".t where x is null or exists (select from u order by greatest(a, b) limit 1);`,
      {
        'f: drop "delete from "s".t where x is null or exists (select from u order by greatest(a, b) limit 1);"': ``,
        'f: reverse "x is null"': `delete from "s".t where x is not null or exists (select from u order by greatest(a, b) limit 1);`,
        'f: swap "null or exists"': `delete from "s".t where x is null and exists (select from u order by greatest(a, b) limit 1);`,
        'f: reverse "or exists ("': `delete from "s".t where x is null or not exists (select from u order by greatest(a, b) limit 1);`,
        'f: reverse "order by greatest(a, b)"': `delete from "s".t where x is null or exists (select from u order by greatest(a, b) desc limit 1);`,
        'f: swap "by greatest("': `delete from "s".t where x is null or exists (select from u order by least(a, b) limit 1);`,
      },
    ],
    [
      'a comparison, but no assignment, and not whether an instant that has just come is over',
      `update t set a = b where c = d and e < now_us; get diagnostics n = row_count;`,
      {
        'f: drop "update t set a = b where c = d and e < now_us;"': `get diagnostics n = row_count;`,
        'f: swap "c = d"': `update t set a = b where c <> d and e < now_us; get diagnostics n = row_count;`,
        'f: swap "d and e"': `update t set a = b where c = d or e < now_us; get diagnostics n = row_count;`,
        'f: drop "get diagnostics n = row_count;"': `update t set a = b where c = d and e < now_us;`,
      },
    ],
    ['no text, no quoted name and no comment', `-- a < b and c\n`, {}],
    ['no refusal of an argument', `if a < 1 then raise exception 'a < 1 and b'; end if;`, {}],
  ])('are made in %s', (_, code, expected) => expect(inBody(code)).toEqual(expected))
})

it('the mistakes in TypeScript are made in conditions, operators, bounds and statements', () => {
  expect(madeBy(typescriptChanges, `if (a < b && c) d()\nreturn e ? Math.max(f, g) : h`)).toEqual({
    'f: negate "a < b && c"': `if (!(a < b && c)) d() return e ? Math.max(f, g) : h`,
    'f: swap "a < b && c"': `if (a < b || c) d() return e ? Math.max(f, g) : h`,
    'f: swap "a < b"': `if (a <= b && c) d() return e ? Math.max(f, g) : h`,
    'f: drop "d()"': `if (a < b && c) ; return e ? Math.max(f, g) : h`,
    'f: negate "e"': `if (a < b && c) d() return !(e) ? Math.max(f, g) : h`,
    'f: swap "Math.max(f, g)"': `if (a < b && c) d() return e ? Math.min(f, g) : h`,
  })
})
