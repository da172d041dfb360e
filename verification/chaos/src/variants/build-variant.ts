import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { variedPackages, type Edit, type Variant } from './variant.js'

const ownFolder = fileURLToPath(new URL('../..', import.meta.url))
const builtOf = (name: string): string => join(ownFolder, '../../packages', name, 'build')

/** The scripts of Redis, in core. */
const scriptsFile = 'redis/scripts/generated.js'
/** Redis identifies a script by the hash of its text. */
const rehash: Edit = {
  file: 'redis/scripts/script.js',
  find: 'this.#places = places;',
  replace:
    "this.#places = places; this.sha1 = require('node:crypto').createHash('sha1').update(this.lua).digest('hex');",
}

const unused = ['etcd', 'memcached', 'mysql', 'zookeeper']

/**
 * Bundles the worker program into that folder, with the edits applied to the library, and returns its path. Throws if the text of an edit
 * is missing: the variant would then change nothing.
 */
export async function buildVariant({ name, edits }: Variant, folder: string): Promise<string> {
  const outfile = join(folder, 'worker.mjs')
  const all = edits.some(({ file }) => file === scriptsFile) ? [...edits, rehash] : edits
  await build({
    entryPoints: [join(ownFolder, 'dist/worker.js')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    tsconfigRaw: {},
    logLevel: 'silent',
    // No variant runs on these stores.
    external: [...unused.map((store) => `@holdfast/${store}`), 'pg-native', 'pg-cloudflare'],
    plugins: [variedLibrary(name, all)],
    // Libraries that are CommonJS require what Node.js has.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)",
    },
  })
  return outfile
}

/** Takes the library from what the compiler built, file by file, and edits it. */
const variedLibrary = (variant: string, edits: readonly Edit[]): Plugin => ({
  name: 'varied-library',
  setup(library) {
    const missing = new Set(edits)
    library.onResolve({ filter: new RegExp(`^@holdfast/(${variedPackages.join('|')})(/|$)`) }, ({ path }) => {
      const [, name = '', entry = ''] = path.split('/')
      return { path: join(builtOf(name), entry, 'index.js') }
    })
    for (const name of variedPackages)
      library.onLoad({ filter: new RegExp(`/packages/${name}/build/.*\\.js$`) }, async ({ path }) => {
        let contents = await readFile(path, 'utf8')
        for (const edit of edits) {
          const { of = 'core', file, find, replace } = edit
          if (path !== join(builtOf(of), file) || !contents.includes(find)) continue
          missing.delete(edit)
          contents = contents.replaceAll(find, () => replace)
        }
        return { contents }
      })
    library.onEnd(() => ({
      errors: [...missing].map(({ file }) => ({
        text: `the variant "${variant}" did not find its text in ${file}`,
      })),
    }))
  },
})
