// Shows on a terminal, or in a log, that an installation goes on.

/** What to show, from the lines that pnpm has printed so far. */
export function installStatus(lines) {
  let packages
  let added
  for (const line of lines) {
    packages = /^Packages: \+(\d+)/.exec(line)?.[1] ?? packages
    added = /^Progress: .*\badded (\d+)/.exec(line)?.[1] ?? added
  }
  if (added === undefined) return 'starting pnpm'
  return packages === undefined ? `${added} packages` : `${added} of ${packages} packages`
}

/**
 * Shows the status until `end()`: on a terminal every second, in one line that is rewritten; elsewhere every five seconds, in a
 * line of its own.
 */
export function showInstallProgress(stream) {
  const startedAt = performance.now()
  const lines = []
  const show = () => {
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const text = `  ${installStatus(lines)}, ${seconds} s`
    stream.write(stream.isTTY ? `\r\x1b[2K${text}` : `${text}\n`)
  }
  const timer = setInterval(show, stream.isTTY ? 1_000 : 5_000)
  return {
    add: (line) => void lines.push(line),
    end() {
      clearInterval(timer)
      if (stream.isTTY) stream.write('\r\x1b[2K')
    },
  }
}
