import type { Writable } from 'node:stream'

/** Resolves when all that was printed there has left the process: a pipe takes 64 KiB at once, and `process.exit` drops the rest. */
export async function flush(...streams: readonly Writable[]): Promise<void> {
  const written = streams.map(
    (stream) =>
      new Promise<void>((resolve) => {
        // Called after all earlier writes, and for a broken stream as well.
        stream.write('', () => resolve())
      }),
  )
  await Promise.all(written)
}
