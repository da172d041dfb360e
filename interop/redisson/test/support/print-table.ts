import { Console } from 'node:console'

/** Straight to the output: Jest would put a stack around every line. */
export function printTable(title: string, rows: readonly Readonly<Record<string, string | number>>[]): void {
  const output = new Console(process.stdout, process.stderr)
  output.log(`\n${title}`)
  output.table(rows)
}

/** Milliseconds, as tables show them. */
export const ms = (time: number): number => Number(time.toFixed(1))
