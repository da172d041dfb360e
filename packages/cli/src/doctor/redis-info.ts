/** Reads the fields of INFO. */
export const readInfo = (text: string): ReadonlyMap<string, string> =>
  new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, field = '', value = '']) => [field, value]))
