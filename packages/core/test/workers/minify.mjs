// Bundles the module that is given as an argument with all it imports, minified, and prints the bundle. The second argument
// has further options of esbuild.
import { build } from 'esbuild'

const [source, options] = process.argv.slice(2)
const { outputFiles } = await build({
  stdin: { contents: source, resolveDir: process.cwd() },
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  write: false,
  // Its paths lead to sources, and users have what is published.
  tsconfigRaw: {},
  ...JSON.parse(options),
})
process.stdout.write(outputFiles[0].text)
