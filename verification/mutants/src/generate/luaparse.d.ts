declare module 'luaparse' {
  export function parse(lua: string, options: { luaVersion: '5.1'; ranges: true; comments: false }): unknown
}
