const invisible = /\p{M}/u
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

const columnsOf = (char: string): number => (invisible.test(char) ? 0 : wide.test(char) ? 2 : 1)

/** How many columns a text takes on a terminal. */
export const widthOf = (text: string): number =>
  Array.from(text, columnsOf).reduce((sum, columns) => sum + columns, 0)

/** The text, or its beginning with an ellipsis when it takes more columns. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let used = 1
  for (const char of text) {
    used += columnsOf(char)
    if (used > columns) break
    kept += char
  }
  return `${kept}…`
}
