import { Console } from 'node:console'

/** Prints directly to stdout: Jest would add a stack trace to every line. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  const output = new Console(process.stdout, process.stderr)
  output.log(`\n${title}`)
  output.table(rows)
}

/** Rounds milliseconds for tables. */
export const ms = (time: number): number => Number(time.toFixed(1))
