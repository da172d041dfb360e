/** Such as `1 key` and `1,200 keys`. */
export const countOf = (count: number, thing: string): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
