// Bundles the module that is given as an argument with all it imports, minified, and prints the bundle.
import { build } from 'esbuild'

const [source] = process.argv.slice(2)
const { outputFiles } = await build({
  stdin: { contents: source, resolveDir: process.cwd() },
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  external: ['ioredis'],
  write: false,
})
process.stdout.write(outputFiles[0].text)
