// What every script needs to know about this repository: where it is, and what it publishes.
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../', import.meta.url))

/** Leaves first, so that a package comes after what it depends on. */
export const publishedPackages = ['core', 'stores', 'nestjs', 'cli']

/** Those that are part of core's files. */
export const bundledPackages = ['watchdog', 'pubsub']

/** The folder of one of them. */
export const folderOf = (name) => `packages/${name}`

/** The pages that each of them ships. */
export const packagePages = ['README.md', 'CHANGELOG.md']
