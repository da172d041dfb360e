import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import GithubSlugger from 'github-slugger'
import { defineConfig } from 'vitepress'
import llms from 'vitepress-plugin-llms'
import { fileOf, pagesOfRepository, pageOf, root } from '../parts/pages.js'
import { listed, sidebarOf } from '../parts/sidebar.js'

/** A keyhole, so that a tab is found among others. */
const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0969da"/><path d="M16 7a5 5 0 0 1 3 9l2 9H11l2-9a5 5 0 0 1 3-9Z" fill="#fff"/></svg>'

const firstHeading = (text) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll(/[`\\]/g, '')

/** Pages are above this folder, where Vue is not installed. */
const vueOfSite = {
  name: 'vue-of-site',
  enforce: 'pre',
  resolveId(id, importer) {
    if (/^vue($|\/)/.test(id) && importer?.endsWith('.md'))
      return this.resolve(id, fileURLToPath(import.meta.url), { skipSelf: true })
  },
}

export default defineConfig({
  title: 'Holdfast',
  description: 'Distributed reentrant locks for Node.js and TypeScript',
  srcDir: root,
  outDir: 'dist',
  srcExclude: [
    'api/**',
    '{packages,verification}/**/{CHANGELOG,LEDGER,NOTICE}.md',
    '**/{test,build,.cache}/**',
    'lua/**',
  ],
  rewrites: (file) => pageOf(file) ?? file,
  cleanUrls: true,
  head: [
    ['meta', { name: 'color-scheme', content: 'light dark' }],
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
  ],
  markdown: {
    theme: { light: 'github-light-default', dark: 'github-dark-high-contrast' },
    // The anchors of the repository, so that its links hold on the site.
    anchor: { slugify: (heading) => new GithubSlugger().slug(heading) },
    config: pagesOfRepository,
  },
  vite: {
    plugins: [vueOfSite, llms({ workDir: root, ignoreFiles: ['site/api/**'] })],
    build: { chunkSizeWarningLimit: 8_000 },
  },
  transformPageData({ relativePath, filePath }) {
    if (filePath.startsWith('docs/') && !listed.has(relativePath))
      throw new Error(`The sidebar does not lead to ${filePath}`)
  },
  themeConfig: {
    sidebar: sidebarOf((page) => firstHeading(readFileSync(join(root, fileOf(page)), 'utf8'))),
    nav: [
      { text: 'Should I use it?', link: '/start/should-i-use' },
      { text: 'Quickstart', link: '/start/quickstart' },
      { text: 'Guarantees', link: '/trust/guarantees' },
      { text: 'Recipes', link: '/recipes/' },
      { text: 'API', link: '/reference/api/' },
      { text: 'Internals', link: '/internals/architecture' },
    ],
    outline: [2, 3],
    search: { provider: 'local' },
  },
})
