/** Pages by the folder that they are in, or from the root of the site. */
const sections = {
  Start: ['should-i-use', 'quickstart', 'choose'],
  Concepts: ['how-it-works', 'ownership', 'fencing'],
  Objects: ['lock', 'read-write-lock', 'semaphore', 'latch', 'multi-lock', 'quorum-lock'],
  Stores: ['index', 'redis', 'postgres', 'mysql', 'sessions', 'memcached', 'redisson'],
  Recipes: ['index', 'cron-jobs', 'http-routes', 'nestjs', 'testing'],
  Production: ['checklist', 'inspecting', 'observability', 'troubleshooting'],
  Migrate: ['index'],
  Reference: ['options', '/reference/api/index'],
  Trust: ['guarantees', 'comparison', 'threat-model'],
  Internals: ['architecture', 'protocol', 'engines'],
  Project: ['changelog', 'contributing', 'security', 'examples', 'verification'],
}

/** Folder and name of each page, as in `stores/redis.md`, by section. */
const pages = Object.entries(sections).map(([text, names]) => ({
  text,
  pages: names.map(
    (name) => (name.startsWith('/') ? name.slice(1) : `${text.toLowerCase()}/${name}`) + '.md',
  ),
}))

/** Every page that the sidebar leads to. */
export const listed = new Set(pages.flatMap((section) => section.pages))

const linkTo = (page) => `/${page.replace(/(index)?\.md$/, '')}`

const forMaintainers = ['Internals', 'Project']

/**
 * `titleOf` reads a page's title, so that it is written once. A section leads to its first page, and shows its pages while it is open
 * (style.css). Maintainers have a separate sidebar.
 */
export function sidebarOf(titleOf) {
  const groups = pages.map((section) => ({
    text: section.text,
    link: linkTo(section.pages[0]),
    docFooterText: titleOf(section.pages[0]),
    items: section.pages.map((page) => ({
      text: titleOf(page),
      link: linkTo(page),
    })),
  }))
  const [theirs, users] = [true, false].map((isTheirs) =>
    groups.filter(({ text }) => forMaintainers.includes(text) === isTheirs),
  )
  return { '/': users, '/internals/': theirs, '/project/': theirs }
}
