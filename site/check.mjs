// Usage: node site/check.mjs [<folder for pictures>]
// Checks what `npm run docs` has built: every link, and in a browser what a reader sees, searches and reaches by the keyboard.
import { deepStrictEqual } from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onPath, until } from '@holdfast/testkit'
import axe from 'axe-core'
import { chromium } from 'playwright-core'

const folder = fileURLToPath(new URL('dist', import.meta.url))
const [, , pictures] = process.argv
const origin = 'http://holdfast.test'

const fileOf = (path) =>
  [path, `${path}.html`, join(path, 'index.html')]
    .map((each) => join(folder, each))
    .find((each) => extname(each) !== '' && existsSync(each))

function brokenLinks() {
  const pages = readdirSync(folder, { recursive: true }).filter(
    (file) => file.endsWith('.html') && file !== '404.html',
  )
  const texts = new Map(pages.map((page) => [join(folder, page), readFileSync(join(folder, page), 'utf8')]))
  const broken = new Set()
  for (const page of pages) {
    for (const [, href] of texts.get(join(folder, page)).matchAll(/<a[^>]* href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(href)) continue
      const { pathname, hash } = new URL(href, `${origin}/${page}`)
      const target = fileOf(posix.normalize(decodeURIComponent(pathname)))
      const id = decodeURIComponent(hash.slice(1)).replaceAll('"', '&quot;')
      const isThere =
        target && (id === '' || !target.endsWith('.html') || texts.get(target)?.includes(` id="${id}"`))
      if (!isThere) broken.add(`${page}: ${href}`)
    }
  }
  console.log(`${pages.length} pages, broken links: ${broken.size}`)
  return [...broken]
}

/** A tab that is served from the folder, and everything that goes wrong in it. */
async function openTab(browser, options) {
  const context = await browser.newContext({ ...options, serviceWorkers: 'block' })
  // A limit ends what hangs, it does not judge speed.
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const problems = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  await page.route('**/*', (route) => {
    const { origin: from, pathname } = new URL(route.request().url())
    const file = from === origin ? fileOf(decodeURIComponent(pathname)) : undefined
    if (file) return route.fulfill({ path: file })
    problems.push(`asked for ${route.request().url()}`)
    return route.abort()
  })
  return { page, problems, close: () => context.close() }
}

/** Opens a page and waits until its script has taken over what was rendered before. */
async function open(page, path) {
  await page.goto(origin + path, { waitUntil: 'networkidle' })
  await page.waitForFunction(
    "document.querySelector('.VPSwitchAppearance')?.title && document.querySelector('main h1')",
  )
}

const shown = {
  home: '/',
  'should-i-use': '/start/should-i-use',
  quickstart: '/start/quickstart',
  'how-it-works': '/concepts/how-it-works',
  lock: '/objects/lock',
  redis: '/stores/redis',
  'cron-jobs': '/recipes/cron-jobs',
  checklist: '/production/checklist',
  options: '/reference/options',
  calls: '/reference/api/',
}
const sizes = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } }

async function problemsOf(browser, size, colorScheme) {
  const tab = await openTab(browser, { viewport: sizes[size], colorScheme })
  for (const [name, path] of Object.entries(shown)) {
    await open(tab.page, path)
    if (pictures) await tab.page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`) })
    const overflow = await tab.page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    if (overflow > 0) tab.problems.push(`${path} is ${overflow} px too wide on a ${size}`)
    await tab.page.evaluate(axe.source)
    const { violations } = await tab.page.evaluate('axe.run()')
    for (const { id, nodes } of violations)
      tab.problems.push(
        `${path}, ${size}, ${colorScheme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' · ')}`,
      )
  }
  await tab.close()
  return tab.problems
}

const searches = {
  'leader election': '/recipes/',
  fencing: '/concepts/fencing',
  sentinel: '/stores/redis',
  lambda: '/recipes/',
}

/** Without a mouse: `/` opens the search, words find a page, and the arrows and Enter go there. */
async function problemsOfSearch(browser, [words, path]) {
  // A tab for each: the box keeps its words in the session, and shows their pages first.
  const { page, problems, close } = await openTab(browser, { viewport: sizes.desktop })
  await open(page, '/')
  await page.getByRole('button', { name: 'Search' }).focus()
  await until(async () => {
    await page.keyboard.press('/')
    return page.getByRole('searchbox').isVisible()
  })
  await page.getByRole('searchbox').fill(words)
  const results = page.locator('#localsearch-list a')
  let found = []
  try {
    const position = await until(async () => {
      found = await results.evaluateAll((links) => links.map((link) => new URL(link.href).pathname))
      return found.slice(0, 5).indexOf(path) + 1
    })
    for (let i = 1; i < position; i += 1) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname === path)
  } catch (error) {
    problems.push(`${words} finds ${found.slice(0, 5).join(', ')} first; ${error.message}`)
  }
  await close()
  return problems
}

async function problemsOfFirstTab(browser) {
  const { page, problems, close } = await openTab(browser, { viewport: sizes.desktop })
  await open(page, '/')
  await page.keyboard.press('Tab')
  if ((await page.evaluate('document.activeElement.textContent')) !== 'Skip to content')
    problems.push('the first Tab does not offer to skip to the content')
  await close()
  return problems
}

const problems = brokenLinks()
const executablePath = ['chromium', 'chromium-browser', 'google-chrome'].flatMap((name) => onPath(name))[0]
if (executablePath) {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run'],
  })
  try {
    const looks = Object.keys(sizes).flatMap((size) => [
      problemsOf(browser, size, 'light'),
      problemsOf(browser, size, 'dark'),
    ])
    const keyboard = [
      ...Object.entries(searches).map((search) => problemsOfSearch(browser, search)),
      problemsOfFirstTab(browser),
    ]
    problems.push(...(await Promise.all([...looks, ...keyboard])).flat())
  } finally {
    await browser.close()
  }
} else {
  console.log('No Chromium found: only links were checked')
}
deepStrictEqual([...new Set(problems)], [])
