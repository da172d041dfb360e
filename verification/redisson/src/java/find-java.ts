import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

const oldestJava = 17

/** The tools to build and run the Java peer are missing; the message says how to install them. */
export class NoJavaError extends Error {
  override readonly name = 'NoJavaError'

  constructor(missing: string) {
    super(
      [
        `${missing}. The interop tests need a JDK (${String(oldestJava)} or newer) and Maven on PATH:`,
        '  sudo apt-get install openjdk-17-jdk-headless maven   Debian, Ubuntu',
        '  brew install openjdk@17 maven                        macOS',
      ].join('\n'),
    )
  }
}

/**
 * Throws {@link NoJavaError} unless `java`, `javac` and `mvn` start and are recent enough.
 *
 * @param env - whose PATH is searched
 */
export async function requireJava(env = process.env): Promise<void> {
  for (const program of ['java', 'javac', 'mvn']) {
    const text = await versionOf(program, env)
    if (text === null) throw new NoJavaError(`No ${program} found`)
    const major = /^(?:openjdk|javac|java) (\d+)/.exec(text)?.[1]
    if (major !== undefined && Number(major) < oldestJava) throw new NoJavaError(`${program} is ${major}`)
  }
}

async function versionOf(program: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  try {
    const { stdout } = await run(program, ['--version'], { env })
    return stdout
  } catch {
    return null
  }
}
