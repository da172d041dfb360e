// What every script needs to know about this repository: where it is, and what it publishes.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Leaves first, so that a package comes after what it depends on. */
export const publishedPackages = ['core', 'stores', 'nestjs', 'dashboard', 'conformance', 'cli']

/** Those that are part of core's files. */
export const bundledPackages = ['watchdog', 'pubsub']

/** The folder of one of them: the suite stands with what proves that the others work. */
export const folderOf = (name) => (name === 'conformance' ? `verification/${name}` : `packages/${name}`)

/** Those that programs import; the others have a command only, and no CommonJS build. */
export const libraries = publishedPackages.filter((name) => name !== 'cli')

/** The pages that each of them ships. */
export const packagePages = ['README.md', 'CHANGELOG.md']
